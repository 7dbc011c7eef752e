export { createLibrary, type Library } from './library.ts';
export type { LibraryOwner } from './owner.ts';
