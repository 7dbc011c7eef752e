export { createInteractions, type Interactions } from './interactions.ts';
