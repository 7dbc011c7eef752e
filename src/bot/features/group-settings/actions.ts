import { z } from 'zod';
import type { ActionDefinitions, ChoicesOf } from '../../framework/choice.ts';

/** For all admins of the group, whichever of them opened the settings. */
const audience = 'group-admins';

export const actions = {
  'show-group-settings': { fields: {}, audience },
  'list-group-models': { fields: { page: z.number() }, audience },
  'list-group-personas': { fields: { page: z.number() }, audience },
  'list-group-languages': { fields: {}, audience },
  'change-group-instructions': { fields: {}, audience },
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
      }),
    },
    audience,
  },
  'remember-talk': { fields: { isOn: z.boolean() }, audience },
} satisfies ActionDefinitions;

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    'group-instructions': never;
  }
}
