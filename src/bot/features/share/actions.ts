import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';
import { thread } from '../threads/actions.ts';

export const actions = {
  /** Asks first. */
  'share-thread': { fields: thread },
  /** Up to the message that was the newest when it was asked. */
  'share-thread-now': { fields: { threadId: z.number(), headId: z.number(), hasPictures: z.boolean() } },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
