import type { Image } from '../../images/index.ts';
import type { TokenUsage } from './chat-outcome.ts';
import type { UnknownFields } from './chat-request.ts';

/**
 * Vendor-neutral interface of image models. The provider folders translate it into the protocols of their hosts. Models
 * do not crop to the exact ratio; callers do.
 */
export interface ImageModel {
  /**
   * Generates at least one image and at most `count`; call it again for more. Every image is complete and decodable. An
   * abort closes the connection to the provider at once.
   * @throws ProviderError subclasses of `model-errors.ts`: `ProviderRejectedError` with code `content_policy_violation`
   * if the provider's rules forbid the image; the signal's reason when aborted.
   */
  generate(request: ImageRequest, signal: AbortSignal): Promise<ImageResult>;
}

export interface ImageRequest {
  readonly model: string;
  /** Describes the image or, for an edit, the changes to `sources`. */
  readonly prompt: string;
  /** Width to height. The model uses the nearest ratio it supports. */
  readonly ratio: AspectRatio;
  /** Size in pixels, if the client requested one. */
  readonly size?: ImageSize | undefined;
  /** Number of requested images, from 1. */
  readonly count: number;
  /** The same seed gives the same image, if the model supports seeds. 0 to 2^31 - 1. */
  readonly seed?: number | undefined;
  /**
   * Images to edit, at least one: JPEG, PNG or WebP. Models that can't edit, or not so many, throw
   * `ProviderRejectedError`.
   */
  readonly sources?: readonly Buffer[] | undefined;
  /**
   * PNG of the same size as the first source; the edit is limited to its transparent areas. Models without masks throw
   * `ProviderRejectedError`.
   */
  readonly mask?: Buffer | undefined;
  /** Extra fields of OpenAI's images endpoint from the client (`quality`, `style`, `background`, …). */
  readonly extraFields?: UnknownFields | undefined;
}

/** Maximum number of images of one request of a client. */
export const MAX_IMAGES = 10;

/** Width to height as two whole numbers, not necessarily in lowest terms: 21 to 9. */
export interface AspectRatio {
  readonly width: number;
  readonly height: number;
}

/** Size in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageResult {
  /** Not empty. */
  readonly images: readonly DrawnImage[];
  /** Quality of the images, `high`; undefined if the host does not report it. */
  readonly quality?: string | undefined;
  /** Tokens and cost of the request; undefined if the host does not report them. */
  readonly usage?: TokenUsage | undefined;
  /** Name of the provider that generated the images. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}

/** A generated image that was decoded completely. */
export interface DrawnImage extends Image {
  /** Undefined if the provider does not report it. */
  readonly seed?: number | undefined;
  /** The prompt as the provider rewrote it. */
  readonly revisedPrompt?: string | undefined;
}
