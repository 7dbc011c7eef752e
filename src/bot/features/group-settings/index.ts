import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/**
 * `/settings` in a group: options for all members, changed by admins. Runs before the user settings, which handle the
 * same command.
 */
export const groupSettings: Feature = { actions, create: createHandlers };
