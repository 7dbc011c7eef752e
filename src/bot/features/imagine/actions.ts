import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';

const imageJob = { imageJobId: z.number() };
/** Images that the chat shows. */
const drawn = { ...imageJob, imageIds: z.array(z.number()) };
/** Request with missing options, and the ratio chosen so far. */
const draft = { ...imageJob, ratio: z.string().optional() };

export const actions = {
  'stop-drawing': { fields: imageJob },
  /** The message with the button becomes the status message of the retry. */
  'retry-drawing': { fields: imageJob },
  'draw-again': { fields: imageJob },
  'vary-picture': { fields: { ...imageJob, imageId: z.number() } },
  'list-ratios': { fields: drawn },
  'draw-in-ratio': { fields: { ...drawn, ratio: z.string() } },
  'show-picture-buttons': { fields: drawn },
  'send-originals': { fields: drawn },
  'list-all-ratios': { fields: imageJob },
  'select-ratio': { fields: { ...imageJob, ratio: z.string() } },
  'list-drawing-models': { fields: { ...draft, page: z.number() } },
  'select-drawing-model': { fields: { ...draft, model: z.string() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    imagine: never;
  }
}
