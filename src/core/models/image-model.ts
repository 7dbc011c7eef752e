import type { JsonObject } from '../../lib/json.ts';
import type { Picture } from '../images/index.ts';

/**
 * The contract between people's wishes for pictures and whatever draws them. A vendor translates to its own protocol
 * inside its own folder; cropping to the exact ratio is not its business.
 */
export interface ImageModel {
  /**
   * Draws at least one picture, and at most `count`: whoever wants more asks again. Every picture is whole and can be
   * decoded. Aborting the signal reaches the provider's socket at once.
   * @throws ProviderError subclasses of `model-errors.ts`: `ProviderRejectedError` with code `content_policy_violation`
   * for what the provider won't draw; the signal's reason when aborted.
   */
  generate(request: ImageRequest, signal: AbortSignal): Promise<ImageResult>;
}

export interface ImageRequest {
  readonly model: string;
  /** What the picture should show; for an edit, what should become of `source`. */
  readonly prompt: string;
  /** Width to height. The nearest that the model has is enough. */
  readonly ratio: AspectRatio;
  /** Pixels, where the client named some. */
  readonly size?: PictureSize | undefined;
  /** Pictures wanted, from 1. */
  readonly count: number;
  /** The same seed draws the same picture, where the model knows seeds. 0 to 2^31 - 1. */
  readonly seed?: number | undefined;
  /** A picture to edit: JPEG, PNG or WebP. Models that can't edit refuse with `ProviderRejectedError`. */
  readonly source?: Buffer | undefined;
  /** What else the client said in the words of OpenAI's images endpoint (`quality`, `style`, `background`, …). */
  readonly options?: JsonObject | undefined;
}

/** Width to height as two whole numbers, not necessarily in lowest terms: 21 to 9. */
export interface AspectRatio {
  readonly width: number;
  readonly height: number;
}

/** Pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageResult {
  /** Not empty. */
  readonly images: readonly DrawnImage[];
  /** Name of the provider that drew. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}

/** A picture that was read to its end. */
export interface DrawnImage extends Picture {
  /** Undefined where the provider does not say. */
  readonly seed?: number | undefined;
  /** The prompt as the provider rewrote it. */
  readonly revisedPrompt?: string | undefined;
}
