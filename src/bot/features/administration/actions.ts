import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';

export const actions = {
  'take-down-file': { fields: { fileId: z.string(), reason: z.string() } },
  unban: { fields: { telegramId: z.number() } },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
