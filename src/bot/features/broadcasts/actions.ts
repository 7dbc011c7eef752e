import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  /** The message to copy is in the same chat. */
  'start-announcement': { fields: { sourceMessageId: z.number(), isSlow: z.boolean() } },
  'drop-announcement': { fields: {} },
  'change-announcement': {
    fields: { broadcastId: z.number(), change: z.enum(['pause', 'resume', 'cancel']) },
  },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    announcement: never;
  }
}
