import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** 👍 and 👎 on answers. */
export const feedback = defineFeature({ actions, create: createHandlers });
