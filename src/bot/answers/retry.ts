import { z } from 'zod';

/** Failed answer to retry. Stored as JSON in callback actions: fields that are added later must be optional. */
export const retry = z.object({
  /** Message id of the question. */
  questionId: z.number(),
  /** Message id of the failed answer. */
  failedId: z.number(),
  /** Telegram messages of the failed attempt. They are removed when the new answer shows. */
  shownIds: z.array(z.number()),
  /** Telegram message that the new answer replies to. */
  replyTo: z.number().optional(),
});
export type Retry = z.infer<typeof retry>;
