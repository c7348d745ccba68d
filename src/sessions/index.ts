export { findCgroups } from './cgroup-places.ts';
export type { CgroupPlaces } from './cgroups.ts';
export type { Limits } from './limits.ts';
export { type LogForm, lineLog } from './log.ts';
export { openSession, openSessionInPod } from './open.ts';
export { checkShared } from './settings.ts';
export type {
  CallOptions,
  CallResult,
  Log,
  LogLevel,
  Session,
  SessionOptions,
  Skill,
  SkillCallOptions,
} from './types.ts';
