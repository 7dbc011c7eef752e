import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/**
 * Actions that all menus share: Close, Cancel, the page number. Must be the last feature, as it handles callback
 * queries that no other feature has handled.
 */
export const menus: Feature = { actions, create: createHandlers };
