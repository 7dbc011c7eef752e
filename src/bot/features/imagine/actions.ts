import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';

const drawing = { drawingId: z.number() };
/** Images that the chat shows. */
const drawn = { ...drawing, pictureIds: z.array(z.number()) };
/** Request with missing options, and the ratio chosen so far. */
const draft = { ...drawing, ratio: z.string().optional() };

export const actions = {
  'stop-drawing': { fields: drawing },
  /** The message with the button becomes the status message of the retry. */
  'retry-drawing': { fields: drawing },
  'draw-again': { fields: drawing },
  'vary-picture': { fields: { ...drawing, pictureId: z.number() } },
  'list-ratios': { fields: drawn },
  'draw-in-ratio': { fields: { ...drawn, ratio: z.string() } },
  'show-picture-buttons': { fields: drawn },
  'send-originals': { fields: drawn },
  'select-ratio': { fields: { ...drawing, ratio: z.string() } },
  'list-drawing-models': { fields: { ...draft, page: z.number() } },
  'select-drawing-model': { fields: { ...draft, model: z.string() } },
};

declare module '../../framework/choice.ts' {
  interface FeatureActions extends ChoicesOf<typeof actions> {}
}
declare module '../../framework/dialog.ts' {
  interface FeatureDialogs {
    imagine: never;
  }
}
