export { type ButtonTarget, createInteractions, type Interactions, type OfferedChoice } from './interactions.ts';
