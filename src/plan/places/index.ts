export {
  type ChangesPlace,
  type Copies,
  HIDDEN_BY_POLICY,
  inEveryHome,
  LAUNCHER_FOLDER,
  NO_COPIES,
  OWN_POLICIES,
  OWN_SECRETS,
  type OwnPlaces,
  ownPlaces,
  placesOf,
} from './compose.ts';
export { HIDDEN_IN_HOME } from './credentials.ts';
export {
  cutAtStar,
  factsOf,
  isNamedBy,
  isWithinAny,
  isWithinPattern,
  literally,
  openFacts,
  type Path,
  type PathPattern,
  PLACE_VARIABLES,
  type PlaceFacts,
  pathOf,
  pathsOf,
  patternBelow,
  plainOf,
} from './facts.ts';
export type { Operation, Outside } from './operation.ts';
export { INSIDE, sessionPlaces } from './session.ts';
export { STARTUP_IN_HOME } from './shown.ts';
export { POSSIBLE_LINKS, type SystemLinks } from './system.ts';
