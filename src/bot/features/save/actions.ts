import { z } from 'zod';
import type { CallbackActionsOf } from '../../framework/callback-action.ts';
import { sentFile } from '../../inputs/sent-file.ts';

export const actions = {
  /** Identifies a job of this process only. */
  'stop-saving': { fields: { saveId: z.string() } },
  'retry-saving': {
    fields: {
      files: z.array(sentFile),
      /** Message that the answer replies to. */
      replyTo: z.number(),
      /** The message with the button shows other files and is kept; false: it is replaced by the answer. */
      isAnswerKept: z.boolean(),
    },
  },
};

declare module '../../framework/callback-action.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
