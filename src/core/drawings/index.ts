export { createDrawings, type Drawing, type Drawings } from './drawings.ts';
