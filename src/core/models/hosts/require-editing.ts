import type { ImageRequest } from '../contract/image-model.ts';
import { ProviderRejectedError } from '../contract/model-errors.ts';

/** Edits that a model supports. */
export interface EditingSupport {
  /** Maximum number of images of one edit; 0 if the model can't edit. */
  readonly maxSources: number;
  readonly acceptsMask: boolean;
}

/**
 * Refuses an edit that the model can't make as requested.
 * @throws ProviderRejectedError 400 that names the field, with code `image_edit_unsupported`.
 */
export function requireEditing(
  provider: string,
  { model, sources = [], mask }: Pick<ImageRequest, 'model' | 'sources' | 'mask'>,
  { maxSources, acceptsMask }: EditingSupport,
): void {
  const refuse = (param: 'image' | 'mask', message: string) =>
    new ProviderRejectedError(provider, 400, { message, param, code: 'image_edit_unsupported' });
  if (sources.length > maxSources) throw refuse('image', describeMaximum(model, maxSources));
  if (mask && !acceptsMask) throw refuse('mask', `The model '${model}' edits whole images and accepts no mask.`);
}

function describeMaximum(model: string, maxSources: number): string {
  return maxSources === 0
    ? `The model '${model}' creates images from text only and can't edit images.`
    : `The model '${model}' edits at most ${maxSources} ${maxSources === 1 ? 'image' : 'images'} at a time.`;
}
