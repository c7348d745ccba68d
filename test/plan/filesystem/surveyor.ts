import { ParentEnv } from '../../../src/host/parent-env.ts';
import { factsOf, mountArguments, surveyFilesystem } from '../../../src/plan/filesystem/index.ts';

// The real passwd home of whoever runs the tests stays out of it.
const { policy, workspace, env, passwdHome } = JSON.parse(process.argv[2] ?? '');
const asked = factsOf(ParentEnv.fromRecord(env), workspace);
const homeless = asked.home === undefined && passwdHome === undefined;
const folders = homeless ? { config: undefined, bin: undefined, state: undefined } : asked.folders;
const facts = { ...asked, folders, passwdHome };
process.stdout.write(JSON.stringify(mountArguments(surveyFilesystem(policy, facts))));
