import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

export const actions = {
  'take-down-file': { fields: { fileId: z.string(), reason: z.string() } },
  unban: { fields: { telegramId: z.number() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
