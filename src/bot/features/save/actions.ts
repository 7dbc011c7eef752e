import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';
import { sentFile } from '../../inputs/sent-file.ts';

export const actions = {
  /** Names a job of this process only. */
  'stop-saving': { fields: { saveId: z.string() } },
  'retry-saving': {
    fields: {
      files: z.array(sentFile),
      /** The message that the answer replies to. */
      replyTo: z.number(),
      /** The message with the button holds other files; false: it becomes the answer. */
      isAnswerKept: z.boolean(),
    },
  },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
