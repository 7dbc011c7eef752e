import { z } from 'zod';

/** A failed answer that can be asked for again. Kept as JSON behind buttons: fields that are added later must be optional. */
export const retry = z.object({
  /** The person's message that is to be answered. */
  questionId: z.number(),
  /** The answer that failed. */
  failedId: z.number(),
  /** Telegram messages that show what came of it: they go as soon as the new answer shows. */
  shownIds: z.array(z.number()),
  /** The Telegram message that the new answer replies to. */
  replyTo: z.number().optional(),
});
export type Retry = z.infer<typeof retry>;
