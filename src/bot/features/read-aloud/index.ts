import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** 🔊 below answers. */
export const readAloud: Feature = { actions, create: createHandlers };
