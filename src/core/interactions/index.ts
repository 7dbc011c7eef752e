export { type ButtonTarget, createInteractions, type Interactions, type StoredAction } from './interactions.ts';
