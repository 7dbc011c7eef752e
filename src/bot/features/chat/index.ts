import type { Feature } from '../../kit/feature.ts';
import { createHandlers } from './handlers.ts';

/** Questions, and messages that the bot does not understand. Runs after all other features that handle messages. */
export const chat: Feature = { create: createHandlers };
