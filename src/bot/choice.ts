import { z } from 'zod';

/** A failed answer that can be asked for again. */
const retry = z.object({
  /** The person's message that is to be answered. */
  questionId: z.number(),
  /** The answer that failed. */
  failedId: z.number(),
  /** Telegram messages that show what came of it: they go as soon as the new answer shows. */
  shownIds: z.array(z.number()),
  /** The Telegram message that the new answer replies to. */
  replyTo: z.number().optional(),
});

/** A drawing whose pictures stand in the chat. */
const drawn = { drawingId: z.number(), pictureIds: z.array(z.number()) };

const choice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop'), answerId: z.number() }),
  z.object({ kind: z.literal('retry'), retry }),
  z.object({
    kind: z.literal('list-models'),
    page: z.number(),
    search: z.string().optional(),
    retry: retry.optional(),
  }),
  z.object({ kind: z.literal('select-model'), model: z.string(), retry: retry.optional() }),
  z.object({ kind: z.literal('search-models') }),
  z.object({ kind: z.literal('show-page-number') }),
  z.object({ kind: z.literal('show-settings') }),
  z.object({ kind: z.literal('list-languages') }),
  z.object({ kind: z.literal('select-language'), language: z.string().optional() }),
  z.object({ kind: z.literal('show-system-prompt') }),
  z.object({ kind: z.literal('change-system-prompt') }),
  z.object({ kind: z.literal('remove-system-prompt') }),
  z.object({ kind: z.literal('new-conversation') }),
  z.object({ kind: z.literal('stop-drawing'), drawingId: z.number() }),
  /** The message that holds the button becomes the new try. */
  z.object({ kind: z.literal('retry-drawing'), drawingId: z.number() }),
  z.object({ kind: z.literal('draw-again'), drawingId: z.number() }),
  z.object({ kind: z.literal('vary-picture'), drawingId: z.number(), pictureId: z.number() }),
  z.object({ kind: z.literal('list-ratios'), ...drawn }),
  z.object({ kind: z.literal('draw-in-ratio'), ...drawn, ratio: z.string() }),
  z.object({ kind: z.literal('show-picture-buttons'), ...drawn }),
  z.object({ kind: z.literal('send-originals'), ...drawn }),
  /** For an order that has not been drawn yet. */
  z.object({ kind: z.literal('select-ratio'), drawingId: z.number(), ratio: z.string() }),
  z.object({
    kind: z.literal('list-drawing-models'),
    drawingId: z.number(),
    ratio: z.string().optional(),
    page: z.number(),
  }),
  z.object({
    kind: z.literal('select-drawing-model'),
    drawingId: z.number(),
    ratio: z.string().optional(),
    model: z.string(),
  }),
  z.object({ kind: z.literal('list-image-models'), page: z.number() }),
  z.object({ kind: z.literal('select-image-model'), model: z.string() }),
  z.object({ kind: z.literal('cancel-dialog') }),
  z.object({ kind: z.literal('close-menu') }),
]);

/** What stands behind a button. Kept as JSON in the database: fields that are added later must be optional. */
export type Choice = z.infer<typeof choice>;
export type ChoiceKind = Choice['kind'];
export type ChoiceOf<Kind extends ChoiceKind> = Extract<Choice, { kind: Kind }>;
export type Retry = z.infer<typeof retry>;

/** A kept choice; undefined where it is from a version that this one does not understand. */
export function parseChoice(kept: unknown): Choice | undefined {
  return choice.safeParse(kept).data;
}
