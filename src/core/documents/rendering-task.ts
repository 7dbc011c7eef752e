import { z } from 'zod';
import { DOCUMENT_PROBLEMS, type DocumentProblem } from './document-error.ts';

/** Limits for the images of one document. */
export interface RenderingLimits {
  /** Maximum number of pages that are rendered. */
  readonly maxPages: number;
  /** Length of the longer side of an image. */
  readonly maxPixels: number;
  /** Size of all images after which no further page is rendered. */
  readonly maxBytes: number;
}

/** Input of the child process that renders the pages of a PDF. */
export interface RenderingTask {
  readonly bytes: Uint8Array;
  readonly limits: RenderingLimits;
}

/** Result of that child process. `images` are JPEG files of the first pages. */
export type RenderingResult =
  | { readonly images: readonly Uint8Array[]; readonly pageCount: number }
  | { readonly problem: DocumentProblem; readonly reason?: string | undefined };

/** Schema of the result: the process has parsed untrusted data. */
export const renderingResult: z.ZodType<RenderingResult> = z.union([
  z.object({
    images: z.array(z.instanceof(Uint8Array)).min(1),
    pageCount: z.number().int().positive(),
  }),
  z.object({ problem: z.enum(DOCUMENT_PROBLEMS), reason: z.string().max(500).optional() }),
]);
