export { type ChangesPlace, type Copies, HIDDEN_BY_POLICY, NO_COPIES, placesOf } from './compose.ts';
export { factsOf, openFacts, PLACE_VARIABLES, type PlaceFacts } from './facts.ts';
export { type Operation, placeLines } from './operation.ts';
export { LAUNCHER_FOLDER, OWN_POLICIES, OWN_SECRETS, type OwnPlaces, ownPlaces } from './own.ts';
export {
  cutAtStar,
  isNamedBy,
  isWithin,
  isWithinAny,
  isWithinPattern,
  literally,
  type Path,
  type PathPattern,
  pathOf,
  pathsOf,
  patternBelow,
  plainOf,
} from './path.ts';
export { INSIDE, sessionPlaces } from './session.ts';
export { STARTUP_IN_HOME } from './shown.ts';
export { POSSIBLE_LINKS, type SystemLinks } from './system.ts';
