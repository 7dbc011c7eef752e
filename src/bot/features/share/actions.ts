import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { conversation } from '../conversations/feature.ts';

export const actions = {
  /** Asks for confirmation. */
  'share-thread': { fields: conversation },
  /** `headId` is the newest message at the time of the confirmation. */
  'share-thread-now': { fields: { conversationId: z.number(), headId: z.number(), hasImages: z.boolean() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
