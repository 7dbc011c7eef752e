import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** `/start`: a greeting with first steps. Runs after the features that handle `/start` with a payload. */
export const welcome: Feature = { actions, create: createHandlers };
