import { z } from 'zod';
import type { Drawing } from '../../../core/drawings/index.ts';

const pictureOrder = z.object({
  /** In the person's words; empty while it is still asked for. */
  prompt: z.string(),
  /** One of the eleven; unset: that of the source, else square. */
  ratio: z.string().optional(),
  /** Public name; unset: the person's. */
  model: z.string().optional(),
  count: z.number().optional(),
  seed: z.number().optional(),
  /** The picture that is to be edited: one in Telegram, or one that was drawn here. */
  source: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('telegram'), fileId: z.string(), limitMb: z.number() }),
      z.object({ kind: z.literal('kept'), pictureId: z.number() }),
    ])
    .optional(),
  /** The Telegram message that the pictures reply to. */
  replyTo: z.number().optional(),
});

/** What somebody wants drawn. Kept as JSON in the database: fields that are added later must be optional. */
export type PictureOrder = z.infer<typeof pictureOrder>;

/** The order of a drawing; undefined where it is from a version that this one does not understand. */
export function readPictureOrder(drawing: Drawing | undefined): PictureOrder | undefined {
  return pictureOrder.safeParse(drawing?.order).data;
}
