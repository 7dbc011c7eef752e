import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';

export const actions = {
  /** The message to copy is in the same chat. */
  'start-announcement': { fields: { sourceMessageId: z.number(), isSlow: z.boolean() } },
  'drop-announcement': { fields: {} },
  'change-announcement': {
    fields: { broadcastId: z.number(), change: z.enum(['pause', 'resume', 'cancel']) },
  },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    announcement: never;
  }
}
