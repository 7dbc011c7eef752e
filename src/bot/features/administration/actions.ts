import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/choice.ts';

export const actions = {
  'take-down-file': { fields: { fileId: z.string(), reason: z.string() } },
  unban: { fields: { telegramId: z.number() } },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
