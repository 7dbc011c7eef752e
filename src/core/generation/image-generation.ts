import { WorkQueue } from '../../lib/async/work-queue.ts';
import { Dollars, toNineDecimals } from '../../lib/dollars.ts';
import { createId } from '../../lib/ids.ts';
import {
  convertImage,
  coverSize,
  cropToRatio,
  type Dimensions,
  type Image,
  type ImageFormat,
  UnreadableImageError,
} from '../images/index.ts';
import {
  AllProvidersFailedError,
  type DrawnImage,
  type ImageModel,
  type ImageRequest,
  type ImageResult,
  ProviderUnavailableError,
  type TokenUsage,
} from '../models/index.ts';
import { readSources } from './image-sources.ts';
import { toImageCost } from './metering/cost.ts';
import { boundImageCost } from './metering/cost-bounds.ts';
import { readQuality } from './metering/image-rates.ts';
import { findPriceOf, type MeteredRequest, type MeteringDeps, reserveRequest } from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';

/**
 * Options of an image generation. `model` is a public name. Results have exactly `ratio` or `size`. `count` is at most
 * `MAX_IMAGES`. `sources` may be in any common image format.
 */
export interface GenerateImagesOptions extends Omit<ImageRequest, 'ratio'> {
  /** Unset: the nearest of `ASPECT_RATIOS` to the first source; a square without sources. */
  readonly ratio?: Dimensions | undefined;
  /** Output format. Unset: the provider's format. */
  readonly format?: ImageFormat | undefined;
}

export interface GeneratedImages {
  /** Id of the response. */
  readonly id: string;
  /** The requested number of images, or fewer if the provider failed after the first. */
  readonly images: readonly GeneratedImage[];
  /** Duration in milliseconds, without the time in the queue. */
  readonly elapsedMs: number;
  /** Approximate token cost of the images: pixels / 750. */
  readonly tokens: number;
  /** Name of the provider that generated the images. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly providerModel: string;
}

export interface GeneratedImage extends Image {
  readonly seed: number | undefined;
  readonly revisedPrompt: string | undefined;
}

/** Image generation with limits, queue and usage recording, used by the bot and the HTTP API. */
export interface ImageGeneration {
  /**
   * Generates images, crops them to the exact ratio or size, and records usage. Runs a few requests of one user at a
   * time and queues the others in order. `onWaiting` is called with the number of requests ahead in the queue,
   * `onStart` when the work starts.
   * @throws LimitExceededError; QueueFullError; InvalidSourceError for a source or mask that can't be used; errors of
   * the router; the signal's reason.
   */
  generate(
    requester: Requester,
    options: GenerateImagesOptions,
    signal: AbortSignal,
    onWaiting?: (ahead: number) => void,
    onStart?: () => void,
  ): Promise<GeneratedImages>;
}

export interface ImageGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly image: ImageModel;
}

export interface ImageGenerationOptions {
  /** Concurrent requests of one user. Default 2. */
  readonly perUser?: number | undefined;
}

const DEFAULT_PER_USER = 2;
/** Maximum of concurrent requests in all: finished images stay in memory until they are delivered. */
const MAX_AT_ONCE = 32;
const MAX_WAITING_PER_USER = 10;
const MAX_WAITING = 1000;
/** Concurrent additional provider requests, for providers that return fewer images at a time than requested. */
const REQUESTS_AT_ONCE = 3;

export function createImageGeneration(
  deps: ImageGenerationDeps,
  { perUser = DEFAULT_PER_USER }: ImageGenerationOptions = {},
): ImageGeneration {
  const { image, clock } = deps;
  const queue = new WorkQueue<number>({
    perOwner: perUser,
    total: MAX_AT_ONCE,
    maxWaitingPerOwner: MAX_WAITING_PER_USER,
    maxWaiting: MAX_WAITING,
  });

  const draw = async (
    metered: MeteredRequest,
    options: GenerateImagesOptions,
    signal: AbortSignal,
  ): Promise<GeneratedImages> => {
    metered.restart();
    const startedAt = clock.now();
    const request = await toRequest(options, signal);
    const drawn = await generateAll(image, request, signal);
    const id = createId('img-');
    const costUsd = toCost(deps, options, drawn.answers);
    const record = (imageCount: number, tokens: number) => {
      // Some hosts report the cost alone.
      const reported = drawn.usage && drawn.usage.completionTokens > 0 ? drawn.usage : undefined;
      const answered = {
        ...(reported ?? { promptTokens: 0, completionTokens: tokens }),
        replyId: id,
        model: options.model,
        provider: drawn.provider,
        imageCount,
        costUsd,
        isEstimated: reported === undefined,
        finishReason: imageCount > 0 ? 'stop' : signal.aborted ? 'stopped' : undefined,
      };
      metered.record(answered, { tokens: 0, images: imageCount });
    };
    const images = await finishAll(drawn, { ...request, format: options.format }, signal).catch((error: unknown) => {
      // The host charges for images that can't be delivered.
      if (metered.reservation?.grantedUsd !== undefined) record(0, 0);
      throw error;
    });
    const elapsedMs = clock.now() - startedAt;
    const tokens = images.reduce((sum, { width, height }) => sum + Math.ceil((width * height) / 750), 0);
    record(images.length, tokens);
    return { id, images, elapsedMs, tokens, provider: drawn.provider, providerModel: drawn.model };
  };

  return {
    async generate(requester, options, signal, onWaiting, onStart) {
      // Reserve before queueing, so that a request over the limit is refused at once.
      const metered = await reserveRequest(deps, requester, {
        kind: 'image',
        request: options,
        cost: () => boundImageCost(options, deps.findPrices?.(options.model)),
        tokens: () => 0,
        moreTokens: 0,
        images: options.count,
      });
      const work = () => {
        onStart?.();
        return metered.run(signal, () => draw(metered, options, signal));
      };
      try {
        return await queue.run(work, { owner: requester.userId, signal, onWaiting });
      } finally {
        metered.settle();
      }
    },
  };
}

/** Returns the cost of all answers, each by its own provider and quality; undefined if one of them is unknown. */
function toCost(
  deps: ImageGenerationDeps,
  options: GenerateImagesOptions,
  answers: readonly ImageResult[],
): number | undefined {
  let sum = new Dollars(0);
  for (const answer of answers) {
    const { images, quality: reported, usage: tokens } = answer;
    const use = { images, quality: readQuality(options), reported, tokens };
    const costUsd = toImageCost(findPriceOf(deps, options, answer), use);
    if (costUsd === undefined) return undefined;
    sum = sum.add(costUsd);
  }
  return toNineDecimals(sum);
}

async function toRequest(
  { format: _format, ...options }: GenerateImagesOptions,
  signal: AbortSignal,
): Promise<ImageRequest> {
  const { sources, mask, ratio } = options;
  if (!sources) return { ...options, ratio: ratio ?? SQUARE };
  const read = await readSources({ sources, mask }, signal);
  return { ...options, sources: read.sources, mask: read.mask, ratio: ratio ?? read.ratio };
}

const SQUARE: Dimensions = { width: 1, height: 1 };

/** Properties of the finished images. */
type Shape = Pick<ImageRequest, 'model' | 'ratio' | 'size'> & Pick<GenerateImagesOptions, 'format'>;

/**
 * Requests images until there are enough: many models return one at a time. A failure after the first image keeps the
 * images so far.
 */
async function generateAll(
  image: ImageModel,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<ImageResult & { readonly answers: readonly ImageResult[] }> {
  const ask = async (count: number, seed: number | undefined): Promise<ImageResult> => {
    const answer = await image.generate({ ...request, count, seed }, signal);
    return { ...answer, images: answer.images.slice(0, count) };
  };
  const first = await ask(request.count, request.seed);
  const answers = [first];
  const images = [...first.images];
  const isComplete = () => images.length >= request.count || signal.aborted;
  for (let round = 0; !isComplete() && round < request.count; round += 1) {
    const missing = request.count - images.length;
    const requests = Array.from({ length: Math.min(missing, REQUESTS_AT_ONCE) }, (_, index) =>
      ask(1, request.seed === undefined ? undefined : (request.seed + images.length + index) % 2 ** 31),
    );
    const settled = await Promise.allSettled(requests);
    const further = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    answers.push(...further);
    images.push(...further.flatMap((answer) => answer.images));
    if (further.length < settled.length) break;
  }
  return { ...first, images, usage: answers.map(({ usage }) => usage).reduce(addUsage), answers };
}

/** Returns undefined if one of them is unknown. */
function addUsage(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return undefined;
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof TokenUsage>;
  const sums = [...fields].map((field) => [field, (one[field] ?? 0) + (other[field] ?? 0)]);
  return { promptTokens: 0, completionTokens: 0, ...Object.fromEntries(sums) };
}

/** Crops and converts the images, and drops unreadable ones if at least one is readable. */
async function finishAll(drawn: ImageResult, shape: Shape, signal: AbortSignal): Promise<GeneratedImage[]> {
  signal.throwIfAborted();
  const images: GeneratedImage[] = [];
  let failure: unknown;
  for (const image of drawn.images) {
    try {
      images.push(await finish(image, shape));
    } catch (error) {
      if (!(error instanceof UnreadableImageError)) throw error;
      failure = error;
    }
    signal.throwIfAborted();
  }
  if (images.length > 0) return images;
  const message = `${drawn.provider} sent no readable image`;
  throw new AllProvidersFailedError(shape.model, [
    new ProviderUnavailableError(drawn.provider, message, { cause: failure }),
  ]);
}

async function finish(drawn: DrawnImage, { ratio, size, format }: Shape): Promise<GeneratedImage> {
  const cut = size ? await coverSize(drawn, size) : await cropToRatio(drawn, ratio);
  const image = format ? await convertImage(cut, format) : cut;
  return { ...image, seed: drawn.seed, revisedPrompt: drawn.revisedPrompt };
}
