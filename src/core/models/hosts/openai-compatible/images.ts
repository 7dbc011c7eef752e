import { LRUCache } from 'lru-cache';
import type { Download } from '../../../../lib/http/public-fetch.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { toImageRefusal } from '../../../../protocols/error-answer.ts';
import { readMediaUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import { listImageEntries } from '../../../../protocols/openai-media/images/image-entries.ts';
import { imageFamilyOf } from '../../../../protocols/openai-media/images/image-family.ts';
import {
  type ImagesEditing,
  listImageParameters,
  printImageRequest,
} from '../../../../protocols/openai-media/images/print-request.ts';
import type { ImageModel, ImageRequest, ImageResult } from '../../contract/image-model.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import { type EditingSupport, requireEditing } from '../require-editing.ts';
import { askForImages } from './ask-for-images.ts';
import { readImages, toSeed } from './image-answer.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

export interface ImagesDeps {
  readonly endpoint: Endpoint;
  readonly download: Download;
}

/** Creates an image model for OpenAI's images endpoint and compatible hosts, each with its dialect. */
export function createImages({ endpoint, download }: ImagesDeps, config: OpenAiCompatibleConfig): ImageModel {
  const { name, apiKeys, images: dialect = {} } = config;
  const baseUrl = withoutTrailingSlashes(config.baseUrl);
  const fallback = createParameterFallback(endpoint);
  /** Models that are not known to edit, and whose host has refused it. */
  const refusing = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  const ask = async (request: ImageRequest, signal: AbortSignal): Promise<Omit<ImageResult, 'provider' | 'model'>> => {
    const editing = request.sources && !refusing.has(request.model) ? findEditing(config, request.model) : undefined;
    requireEditing(name, request, editing ? SUPPORT[editing] : NO_EDITING);
    let seed: unknown;
    const answer = await fallback.send(request.model, listImageParameters(request, dialect), async (fields) => {
      seed = fields.seed;
      const question = printImageRequest(request, fields, editing);
      return askForImages(
        { provider: name, endpoint, secrets: apiKeys },
        { ...question, url: baseUrl + question.url },
        signal,
      );
    });
    const entries = listImageEntries(answer).slice(0, request.count);
    const images = await readImages({ provider: name, download }, entries, signal);
    // The first image has the seed of the request, unless the host reports another one.
    const requestSeed = toSeed(answer.seed) ?? toSeed(seed);
    return {
      images: images.map((image, index) => ({ ...image, seed: image.seed ?? (index === 0 ? requestSeed : undefined) })),
      quality: typeof answer.quality === 'string' ? answer.quality : undefined,
      usage: readMediaUsage(answer),
    };
  };

  return {
    async generate(request, signal) {
      signal.throwIfAborted();
      const { model, sources } = request;
      try {
        return { ...(await ask(request, signal)), provider: name, model };
      } catch (error) {
        if (sources && canEdit(config, model) === undefined && isAboutEditing(error)) {
          refusing.set(model, true);
          requireEditing(name, request, NO_EDITING);
        }
        throw toImageRefusal(error);
      }
    },
  };
}

/**
 * Returns whether the model can edit images; undefined if neither the settings nor the names of model and host tell.
 * The settings take precedence.
 */
export function canEdit({ models, images }: OpenAiCompatibleConfig, model: string): boolean | undefined {
  const acceptsImages = models?.find(({ id }) => id === model)?.acceptsImages;
  if (acceptsImages !== undefined) return acceptsImages;
  if (images?.editing?.models.test(model)) return true;
  return imageFamilyOf(model).edits ?? (images?.editing ? false : undefined);
}

/** Returns where the source image goes; undefined if the model can't edit. Unknown models are tried. */
function findEditing(config: OpenAiCompatibleConfig, model: string): ImagesEditing['source'] | undefined {
  if (canEdit(config, model) === false) return undefined;
  const { editing } = config.images ?? {};
  return editing && !imageFamilyOf(model).edits ? editing.source : 'file';
}

/** Returns whether a host refuses edits: it has no such address, or says so. */
function isAboutEditing(error: unknown): boolean {
  if (error instanceof ProviderUnavailableError) return NO_ADDRESS.has(error.status);
  if (!(error instanceof ProviderRejectedError)) return false;
  const { param, message } = error.details;
  return error.status === 415 || /^(?:image|mask)\b/.test(param ?? '') || EDITING_REFUSED.test(message);
}

const NO_ADDRESS: ReadonlySet<number | undefined> = new Set([404, 405, 410, 501]);
const EDITING_REFUSED =
  /\b(?:edit(?:s|ing)?|image[- ]to[- ]image|img2img|inpaint(?:ing)?|input images?|image inputs?|multipart)\b.{0,60}\b(?:not|unsupported|disabled|unavailable)\b|\b(?:not|n't|unsupported|unknown|only)\b.{0,60}\b(?:edit(?:s|ing)?|image[- ]to[- ]image|img2img|inpaint(?:ing)?|input images?|image inputs?|multipart|text[- ]to[- ]image|application\/json)\b/i;

/** Maximum number of models whose refusals are remembered. */
const MAX_REMEMBERED = 1000;
const NO_EDITING: EditingSupport = { maxSources: 0, acceptsMask: false };
/** Models differ in the number of images they edit and refuse more themselves. */
const MAX_FILES = 16;
const ONE_IMAGE: EditingSupport = { maxSources: 1, acceptsMask: false };
const SUPPORT: Readonly<Record<ImagesEditing['source'], EditingSupport>> = {
  file: { maxSources: MAX_FILES, acceptsMask: true },
  object: ONE_IMAGE,
  image_url: ONE_IMAGE,
  image: ONE_IMAGE,
};
