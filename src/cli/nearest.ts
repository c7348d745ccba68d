export { nearest } from '../policy/nearest.ts';
