import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** 👍 and 👎 on answers. */
export const feedback: Feature = { actions, create: createHandlers };
