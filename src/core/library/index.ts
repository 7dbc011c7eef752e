export { MAX_WAITING_COUNTED, type WaitingTexts } from './count-waiting.ts';
export type { LibraryEntry } from './find-entries.ts';
export {
  createLibrary,
  type EntryPart,
  type FoundEntry,
  type Library,
  type LibraryDeps,
  MAX_RESULTS,
} from './library.ts';
