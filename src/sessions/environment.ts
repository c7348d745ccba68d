import { type Decision, decide } from '../decide/decide.ts';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Folders } from '../host/folders.ts';
import { workingFolder } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import type { LaunchBroker } from '../launch/brokered.ts';
import { heldBack } from '../launch/prepare.ts';
import { INSIDE } from '../plan/places/index.ts';
import { credentialRule } from '../policy/credential.ts';
import { NETWORK_OFF, withProxyVariables } from '../policy/network/rules.ts';
import { Pattern } from '../policy/pattern.ts';
import { type CredentialRule, DEFAULT_POLICY, type Policy, type SetRule } from '../policy/policy.ts';
import { type SealedEnv, seal } from '../seal/seal.ts';
import type { SandboxedVariable } from '../secrets/sandboxed/file.ts';
import { Secret } from '../secrets/secret.ts';

export interface SessionEnvironment {
  readonly policy: Policy;
  readonly decisions: readonly Decision[];
  readonly sealed: SealedEnv;
  readonly secrets: ReadonlyMap<Bytes, Secret>;
  readonly path: readonly string[];
  /** What is brokered of the secrets; the sandbox then has placeholders. */
  readonly broker?: LaunchBroker | undefined;
}

interface Sources {
  readonly profile: Policy;
  readonly variables: readonly SandboxedVariable[];
  readonly env: ParentEnv;
  readonly folders: Folders;
  readonly workspace: string | undefined;
  /** Commands find the programs of an image. */
  readonly inImage: boolean;
}

const SYSTEM_PATH = ['/usr/bin', '/bin'];
/** Where images have their programs, unless they say so themselves. */
const IMAGE_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const OWN_NAMES = ['HOME', 'PATH'];

/** HOME, PATH, what the profile sets or injects, the user's variables. Nothing is inherited: there is no parent to inherit from. */
export async function sessionEnvironment(sources: Sources): Promise<SessionEnvironment> {
  const { profile, variables, inImage } = sources;
  refuseKeys(profile);
  const added = profile.session?.path ?? [];
  const isImages = inImage && added.length === 0;
  const path = [...new Set([...(inImage ? IMAGE_PATH : SYSTEM_PATH), ...added])];
  const own = new Set(variables.map(({ name }) => name));
  const injected = profile.credentials.filter(({ target }) => !own.has(target));
  const rules = variables.map((variable) => brokeredAs(profile, ruleOf(variable)));
  const asked: Policy = {
    ...DEFAULT_POLICY,
    origin: profile.origin,
    base: { preset: 'none', origin: 'session' },
    allow: isImages ? [{ pattern: Pattern.exactly(bytesOfText('PATH')), origin: 'session' }] : [],
    set: [...ownVariables(isImages ? undefined : path), ...profile.set.filter((rule) => isFree(rule, own))],
    credentials: [...injected, ...rules],
    isolation: 'barrier',
    filesystem: { ...profile.filesystem, preset: 'workspace', explicit: true },
    network: profile.session?.network ?? NETWORK_OFF,
    redact: profile.redact,
  };
  const plain = variables.filter(({ reference }) => !reference).map(secretOf);
  const referred = [...injected, ...variables.filter(({ reference }) => reference).map(ruleOf)];
  const secrets = new Map([...plain, ...(await resolved(referred, sources))]);
  const held = await heldBack(asked, secrets, sources.env, { where: inImage ? 'in an image' : 'here' });
  const policy = withProxyVariables(held.policy);
  const nothing = ParentEnv.fromRecord({});
  const decisions = decide(policy, nothing);
  const { credentials, broker } = held;
  const placeholders = broker === undefined ? {} : { placeholders: broker.placeholders };
  const sealed = seal(decisions, { policy, env: nothing, credentials, ...placeholders });
  return { policy, decisions, sealed, secrets: credentials, path, broker };
}

/** An agent of the operator's own, whichever user the session is of. */
function refuseKeys({ ssh }: Policy): void {
  const [rule] = ssh ?? [];
  if (rule !== undefined)
    throw new CordonError('policy', 'keys of an ssh-agent are not for sessions', {
      where: rule.origin,
      hint: 'leave out ssh_keys in the profile of a session',
    });
}

/** What the profile says of a name counts for the value of each user. */
function brokeredAs({ credentials }: Policy, rule: CredentialRule): CredentialRule {
  const broker = credentials.find(({ target }) => target === rule.target)?.broker;
  return broker === undefined ? rule : { ...rule, broker };
}

function ownVariables(path: readonly string[] | undefined): SetRule[] {
  const values = { HOME: INSIDE.workspace, ...(path === undefined ? {} : { PATH: path.join(':') }) };
  return Object.entries(values).map(([name, value]) => ({
    name: bytesOfText(name),
    value: bytesOfText(value),
    origin: 'session',
  }));
}

function isFree({ name, origin }: SetRule, taken: ReadonlySet<string>): boolean {
  if (!OWN_NAMES.includes(name)) return !taken.has(name);
  throw new CordonError('policy', `a session has a ${name} of its own, which no profile sets`, {
    where: origin,
    hint: 'session.path adds folders to PATH',
  });
}

/** A plain value has the place where it is written for a source; its text is asked for nowhere. */
function ruleOf({ name, text, reference, origin }: SandboxedVariable): CredentialRule {
  return credentialRule({ target: bytesOfText(name), source: reference ? text : 'vault://in-the-file', origin });
}

function secretOf({ name, text }: SandboxedVariable): readonly [Bytes, Secret] {
  return [bytesOfText(name), new Secret(bytesOfText(text))];
}

/** The sources are loaded when a session has any. */
async function resolved(rules: readonly CredentialRule[], { env, folders, workspace }: Sources) {
  if (rules.length === 0) return [];
  const { resolveCredentials } = await import('../secrets/resolve.ts');
  const { credentialTools } = await import('../launch/credentials.ts');
  return resolveCredentials(
    rules,
    credentialTools({
      env,
      folders,
      workdirs: [workingFolder(), ...(workspace === undefined ? [] : [workspace])],
      ask: nobodyToAsk,
    }),
  );
}

async function nobodyToAsk(): Promise<Secret> {
  throw new CordonError('credential', 'the vault has a passphrase, and a session has nobody to ask for it', {
    hint: 'keep the key of the vault in the keyring or in a file',
  });
}
