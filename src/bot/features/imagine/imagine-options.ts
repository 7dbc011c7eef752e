import { z } from 'zod';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { renameFormerFields } from '../../kit/actions.ts';

const imagineOptions = z.object({
  /** The user's text; empty while the dialog asks for it. */
  prompt: z.string(),
  /** One of `ASPECT_RATIOS`. Default: that of the source, or square. */
  ratio: z.string().optional(),
  /** Public name. Default: the user's model. */
  model: z.string().optional(),
  count: z.number().optional(),
  seed: z.number().optional(),
  /** Image to edit: from Telegram, or generated here. */
  source: z
    .preprocess(
      renameFormerFields,
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('telegram'), fileId: z.string(), limitMb: z.number() }),
        z.object({ kind: z.literal('kept'), imageId: z.number() }),
      ]),
    )
    .optional(),
  /** Telegram message that the images reply to. */
  replyTo: z.number().optional(),
});

/** Image request of a user. Stored as JSON in the database: fields that are added later must be optional. */
export type ImagineOptions = z.infer<typeof imagineOptions>;

/** Returns the request of a stored job; undefined if this version does not understand it. */
export function readImagineOptions(imageJob: StoredImageJob | undefined): ImagineOptions | undefined {
  return imagineOptions.safeParse(imageJob?.options).data;
}
