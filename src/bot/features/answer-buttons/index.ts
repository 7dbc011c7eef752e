import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** The buttons below answers, finished, failed or waiting for a permission. */
export const answerButtons = defineFeature({ actions, create: createHandlers });
