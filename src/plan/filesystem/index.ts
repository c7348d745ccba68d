export { mountArguments } from './arguments.ts';
export { type FsFacts, factsOf, PLACE_VARIABLES } from './facts.ts';
export { INSIDE, sessionFilesystem } from './session.ts';
export { surveyFilesystem } from './survey.ts';
export type { FsPlan, StartupNote } from './types.ts';
