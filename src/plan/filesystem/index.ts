export { mountArguments } from './arguments.ts';
export { type FsFacts, factsOf } from './facts.ts';
export { surveyFilesystem } from './survey.ts';
export type { FsPlan } from './types.ts';
