import { z } from 'zod';
import { sentFile } from '../../inputs/sent-file.ts';
import type { CallbackActionsOf } from '../../kit/actions.ts';

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

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
