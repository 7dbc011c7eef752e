import { defineFeature } from '../../framework/feature.ts';
import { createHandlers } from './handlers.ts';

/** What people write to the bot: questions, and what it does not understand. Behind all features that take messages. */
export const chat = defineFeature({ create: createHandlers });
