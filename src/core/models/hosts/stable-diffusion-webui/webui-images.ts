import { QueueFullError, WorkQueue } from '../../../../lib/async/work-queue.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { readSmallJson } from '../../../../lib/json/read-json.ts';
import type { AspectRatio, DrawnImage, ImageModel, ImageRequest, ImageSize } from '../../contract/image-model.ts';
import { ProviderTimeoutError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import { askForJson } from '../endpoint/ask-for-json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { readBase64Image } from '../read-base64-image.ts';
import { requireEditing } from '../require-editing.ts';
import type { StableDiffusionWebUiConfig } from './stable-diffusion-webui-config.ts';

const MAX_WAITING = 32;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const INTERRUPT_PATIENCE_MS = 3000;

export interface WebUiImagesDeps {
  readonly clock: Clock;
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly endpoint: Endpoint;
  /** Base address: everything before `/sdapi`. */
  readonly baseUrl: string;
  /**
   * Returns the WebUI's own title of a model.
   * @throws ProviderError
   */
  readonly getTitle: (id: string, signal: AbortSignal) => Promise<string>;
}

/** An image model that interrupts its aborted requests. */
export interface WebUiImages extends ImageModel {
  /** Resolves when all interrupts have been sent, after three seconds at most. */
  settle(): Promise<void>;
}

/**
 * Generates images by `POST /sdapi/v1/txt2img` and `img2img`, up to four in a request. Sends one request at a time: the
 * WebUI does not run two in parallel, and its `interrupt` stops whatever is running, which must not be another user's
 * image.
 */
export function createWebUiImages(deps: WebUiImagesDeps, config: StableDiffusionWebUiConfig): WebUiImages {
  const { clock, endpoint } = deps;
  const provider = config.name;
  const api = `${deps.baseUrl}/sdapi/v1`;
  const { totalMs } = endpoint.timeouts;
  const queue = new WorkQueue({ total: 1, maxWaiting: MAX_WAITING });
  const interrupts = new Set<Promise<void>>();

  const sendInterrupt = async (): Promise<void> => {
    const patience = new AbortController();
    const cancel = clock.setTimer(INTERRUPT_PATIENCE_MS, () => patience.abort());
    const question = { url: `${api}/interrupt`, body: {}, model: '/interrupt', startMs: totalMs, maxBytes: 64 * 1024 };
    // If the interrupt fails, the WebUI finishes the image; only time is lost.
    await askForJson({ provider, endpoint }, question, patience.signal).catch(() => {});
    cancel();
  };
  const interrupt = async () => {
    const sent = sendInterrupt();
    interrupts.add(sent);
    await sent;
    interrupts.delete(sent);
  };

  const draw = async (request: ImageRequest, title: string, signal: AbortSignal): Promise<unknown> => {
    const body = toBody(request, title, deps.random, config);
    const url = `${api}/${request.sources ? 'img2img' : 'txt2img'}`;
    const question = { url, body, model: request.model, startMs: totalMs, maxBytes: MAX_ANSWER_BYTES };
    const answer = Promise.withResolvers<unknown>();
    const work = async () => {
      cancelWaiting();
      try {
        answer.resolve(await askForJson({ provider, endpoint }, question, signal));
      } catch (error) {
        answer.reject(error);
        // A closed connection does not stop the WebUI. The next request waits until this one is interrupted.
        if (signal.aborted || error instanceof ProviderTimeoutError) await interrupt();
      }
    };
    const waiting = new AbortController();
    const timeout = new ProviderTimeoutError(provider, 'first-token', totalMs);
    const cancelWaiting = clock.setTimer(totalMs, () => waiting.abort(timeout));
    queue
      .run(work, { signal: AbortSignal.any([signal, waiting.signal]) })
      .catch((error: unknown) => answer.reject(toWaitingError(provider, error)))
      .finally(cancelWaiting);
    return answer.promise;
  };

  return {
    async generate(request, signal) {
      requireEditing(provider, request, { maxSources: 1, acceptsMask: true });
      const title = await deps.getTitle(request.model, signal);
      const images = await readImages(provider, await draw(request, title, signal), request.count);
      signal.throwIfAborted();
      return { images, provider, model: request.model };
    },
    async settle() {
      await Promise.all(interrupts);
    },
  };
}

function toWaitingError(provider: string, error: unknown): unknown {
  if (!(error instanceof QueueFullError)) return error;
  return new ProviderUnavailableError(provider, `${provider} already has too many images to create`, { cause: error });
}

/** Images generated in parallel: about the maximum for a GPU with 8 GB. */
const MAX_BATCH = 4;
const MAX_SEED = 2 ** 31 - 1;
/** Strength of an edit: 1 keeps nothing of the source, 0 keeps all of it. */
const EDIT_STRENGTH = 0.6;

function toBody(
  request: ImageRequest,
  title: string,
  random: () => number,
  { nativeSize, parameters }: StableDiffusionWebUiConfig,
): JsonObject {
  const batchSize = Math.min(request.count, MAX_BATCH);
  return {
    ...toSampling(request.model),
    ...(request.sources && { denoising_strength: EDIT_STRENGTH }),
    ...parameters,
    prompt: request.prompt,
    ...toDrawnSize(request.model, request.ratio, nativeSize),
    batch_size: batchSize,
    n_iter: 1,
    // The WebUI's random seeds may be larger than the ones that requests accept.
    seed: request.seed ?? Math.floor(random() * (MAX_SEED - batchSize)),
    override_settings: { ...toObject(parameters?.override_settings), sd_model_checkpoint: title },
    // Otherwise the WebUI reloads the previous model after every request.
    override_settings_restore_afterwards: false,
    send_images: true,
    save_images: false,
    ...(request.sources && toEdit(request.sources, request.mask)),
  };
}

function toEdit(sources: readonly Buffer[], mask: Buffer | undefined): JsonObject {
  return {
    init_images: sources.map((source) => source.toString('base64')),
    // Crop to the new ratio instead of stretching.
    resize_mode: 1,
    // The WebUI edits the opaque areas of a mask; inverted, the transparent ones. 1: begin with the image, not a colour.
    ...(mask && { mask: mask.toString('base64'), inpainting_mask_invert: 1, inpainting_fill: 1 }),
  };
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Reads `{images: [base64], info: '{"all_seeds": […], "index_of_first_image": 0}'}`. Extensions add images of their own
 * before and after.
 */
async function readImages(provider: string, answer: unknown, count: number): Promise<readonly DrawnImage[]> {
  if (!isJsonObject(answer) || !Array.isArray(answer.images) || answer.images.length === 0)
    throw new ProviderUnavailableError(provider, `${provider} sent something without images`, { isBadAnswer: true });
  const info = toObject(typeof answer.info === 'string' ? readSmallJson(answer.info) : answer.info);
  const first = typeof info.index_of_first_image === 'number' ? info.index_of_first_image : 0;
  const seeds = Array.isArray(info.all_seeds) ? info.all_seeds : [];
  const files = answer.images.slice(first, first + Math.min(count, seeds.length || count));
  const images: DrawnImage[] = [];
  for (const [index, file] of files.entries()) {
    const seed: unknown = seeds[index];
    const image = await readBase64Image(provider, file);
    images.push(typeof seed === 'number' ? { ...image, seed } : image);
  }
  if (images.length === 0)
    throw new ProviderUnavailableError(provider, `${provider} sent something without images`, { isBadAnswer: true });
  return images;
}

/** Side of the square that a model was trained on, in pixels. */
const LARGE = 1024;

const SMALL = 512;

const LARGE_NAMES = /xl|flux|pony|illustrious|noob|sd_?3|stable-diffusion-3|chroma|qwen|lumina|hidream|z[-_]?image/i;

/**
 * Returns a size near the area that the model was trained on, with sides in multiples of 64 pixels. Far from that area,
 * models repeat objects or blur. The name tells the area: 1024² for SDXL and later, 768² if the name contains 768, else
 * 512².
 * @param nativeSize the side of the square, if the settings contain it.
 */
function toDrawnSize(modelName: string, ratio: AspectRatio, nativeSize: number | undefined): ImageSize {
  const side = nativeSize ?? (LARGE_NAMES.test(modelName) ? LARGE : /768/.test(modelName) ? 768 : SMALL);
  const stretch = Math.sqrt(ratio.width / ratio.height);
  return { width: toSide(side * stretch), height: toSide(side / stretch) };
}

/** The sides of the latent image are an eighth; all models and extensions support multiples of 64. */
const SIDE_STEP = 64;

const MIN_SIDE = 256;

const MAX_SIDE = 2048;

function toSide(length: number): number {
  return Math.min(MAX_SIDE, Math.max(MIN_SIDE, Math.round(length / SIDE_STEP) * SIDE_STEP));
}

/**
 * Returns steps and guidance scale; the WebUI's default is 50 steps for every model. Distilled models need few steps
 * and no guidance, as their model cards say; the usual values oversaturate their images.
 */
function toSampling(modelName: string): { readonly steps: number; readonly cfg_scale: number } {
  if (/schnell/i.test(modelName)) return { steps: 4, cfg_scale: 1 };
  if (/turbo|lightning|hyper|lcm/i.test(modelName)) return { steps: 8, cfg_scale: 1.5 };
  if (/flux/i.test(modelName)) return { steps: 20, cfg_scale: 1 };
  return { steps: 25, cfg_scale: 7 };
}
