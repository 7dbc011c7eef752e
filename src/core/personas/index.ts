export { createPersonas, MAX_PERSONAS, type OwnPersona, type Personas } from './personas.ts';
