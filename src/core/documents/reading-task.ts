import { z } from 'zod';
import { DOCUMENT_PROBLEMS } from './document-error.ts';
import type { DocumentKind } from './document-kind.ts';
import type { ReadingLimits } from './readers/document-reader.ts';

/** Input of the child process that reads a document. */
export interface ReadingTask {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly limits: ReadingLimits;
}

/** Result of that child process. It has parsed untrusted data, so its result is validated. */
export const readingResult = z.union([
  z.object({
    text: z.string().min(1),
    pageCount: z.number().int().nonnegative().optional(),
    /** Share of the document that the text contains: above 0, 1 is all of it. */
    share: z.number().positive().max(1),
  }),
  z.object({
    problem: z.enum(DOCUMENT_PROBLEMS),
    reason: z.string().max(500).optional(),
    pageCount: z.number().int().nonnegative().optional(),
  }),
]);

export type ReadingResult = z.infer<typeof readingResult>;
