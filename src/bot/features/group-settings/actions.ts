import { z } from 'zod';
import type { ActionDefinitions, CallbackActionsOf } from '../../kit/actions.ts';

/** For all admins of the group, whichever of them opened the settings. */
const access = 'group-admins';

export const actions = {
  'show-group-settings': { fields: {}, access },
  'list-group-models': { fields: { page: z.number() }, access },
  'list-group-personas': { fields: { page: z.number() }, access },
  'list-group-languages': { fields: {}, access },
  'change-group-instructions': { fields: {}, access },
  'change-group': {
    fields: {
      /** `null` restores the default. */
      changes: z.object({
        model: z.string().nullish(),
        persona: z.string().nullish(),
        systemPrompt: z.null().optional(),
        language: z.string().nullish(),
        payer: z.literal('group').nullish(),
        answersReplies: z.literal(false).nullish(),
        hasTasks: z.literal(false).nullish(),
      }),
    },
    access,
  },
  'remember-talk': { fields: { isOn: z.boolean() }, access },
} satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'group-instructions': never;
  }
}
