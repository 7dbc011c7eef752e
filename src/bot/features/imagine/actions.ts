import { z } from 'zod';
import type { ChoicesOf } from '../../framework/choice.ts';

const drawing = { drawingId: z.number() };
/** A drawing whose pictures stand in the chat. */
const drawn = { ...drawing, pictureIds: z.array(z.number()) };
/** An order that has not been drawn yet, and the ratio that was chosen on the way. */
const draft = { ...drawing, ratio: z.string().optional() };

export const actions = {
  'stop-drawing': { fields: drawing },
  /** The message that holds the button becomes the new try. */
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
