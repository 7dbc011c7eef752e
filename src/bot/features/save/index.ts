import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './save.ts';

/** `/save`, and files that come without a word. */
export const save = defineFeature({ actions, create: createHandlers });
