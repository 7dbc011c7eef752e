import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** `/start`: a greeting with first steps. Behind the features that links begin with `/start` and a payload. */
export const welcome = defineFeature({ actions, create: createHandlers });
