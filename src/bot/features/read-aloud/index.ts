import type { Feature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** 🔊 below answers. */
export const readAloud: Feature = { actions, create: createHandlers };
