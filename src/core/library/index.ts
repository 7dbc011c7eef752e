export type { LibraryEntry } from './find-entries.ts';
export { createLibrary, type EntryPart, type FoundEntry, type Library, MAX_RESULTS } from './library.ts';
export type { LibraryOwner } from './owner.ts';
