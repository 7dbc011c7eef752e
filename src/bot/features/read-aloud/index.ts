import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** 🔊 below answers. */
export const readAloud = defineFeature({ actions, create: createHandlers });
