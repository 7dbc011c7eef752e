import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** Buttons below finished, failed and paused answers. */
export const answerButtons: Feature = { actions, create: createHandlers };
