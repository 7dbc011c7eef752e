import { isJsonObject } from '../../../../lib/json.ts';
import { findNearestRatio } from '../../../images/index.ts';
import type { DrawnImage, ImageModel } from '../../image-model.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import { askForJson } from '../host/ask-for-json.ts';
import type { Endpoint } from '../host/endpoint.ts';
import { readBase64Image } from '../read-base64-image.ts';
import { requireEditing } from '../require-editing.ts';

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/**
 * Creates an image model for `POST <base>/ai/imagen`: `{model, prompt, ratio}` returns `{files: [base64], …}`. It
 * supports only the ratios of `ASPECT_RATIOS`, no seeds and no edits, and returns one image for each request, whatever
 * `count` is.
 */
export function createImagen(
  deps: { readonly provider: string; readonly endpoint: Endpoint },
  url: string,
): ImageModel {
  const { provider, endpoint } = deps;
  return {
    async generate(request, signal) {
      signal.throwIfAborted();
      requireEditing(provider, request, { maxSources: 0, acceptsMask: false });
      const { model, prompt } = request;
      const body = { model, prompt, ratio: findNearestRatio(request.ratio) };
      const startMs = endpoint.timeouts.totalMs;
      const answer = await askForJson(deps, { url, body, model, startMs, maxBytes: MAX_ANSWER_BYTES }, signal);
      const files = isJsonObject(answer) && Array.isArray(answer.files) ? answer.files.slice(0, request.count) : [];
      if (files.length === 0)
        throw new ProviderUnavailableError(provider, `${provider} sent something without images`, {
          isBadAnswer: true,
        });
      const images: DrawnImage[] = [];
      for (const file of files) images.push(await readBase64Image(provider, file));
      signal.throwIfAborted();
      return { images, provider, model };
    },
  };
}
