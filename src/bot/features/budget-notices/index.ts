import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';

/** Notices to owners of budgets that most or all of one is spent. */
export const budgetNotices: Feature = { actions, create: createHandlers };
