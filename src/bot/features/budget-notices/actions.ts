import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

const notice = { noticeId: z.number() };
/** `limitUsd` is the budget when the raise was offered. */
const raise = { ...notice, limitUsd: z.number(), byUsd: z.number() };

export const actions = {
  'raise-budget': { fields: raise },
  'raise-group-budget': { fields: raise, access: 'group-admins' },
  'pause-noticed-key': { fields: { ...notice, isPaused: z.boolean() } },
  'pause-all-keys': { fields: notice },
  /** Asks for confirmation. */
  'ask-to-revoke-noticed-key': { fields: notice },
  'revoke-key-of-notice': { fields: notice },
  'show-budget-notice': { fields: notice },
} as const;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
