import type { AspectRatio, ImageSize } from '../../contract/image-model.ts';

/** Side of the square that a model was trained on, in pixels. */
const LARGE = 1024;
const SMALL = 512;
const LARGE_NAMES = /xl|flux|pony|illustrious|noob|sd_?3|stable-diffusion-3|chroma|qwen|lumina|hidream|z[-_]?image/i;

/** The sides of the latent image are an eighth; all models and extensions support multiples of 64. */
const SIDE_STEP = 64;
const MIN_SIDE = 256;
const MAX_SIDE = 2048;

/**
 * Returns a size near the area that the model was trained on, with sides in multiples of 64 pixels. Far from that area,
 * models repeat objects or blur. The name tells the area: 1024² for SDXL and later, 768² if the name contains 768, else
 * 512².
 * @param nativeSize the side of the square, if the settings contain it.
 */
export function toDrawnSize(modelName: string, ratio: AspectRatio, nativeSize: number | undefined): ImageSize {
  const side = nativeSize ?? (LARGE_NAMES.test(modelName) ? LARGE : /768/.test(modelName) ? 768 : SMALL);
  const stretch = Math.sqrt(ratio.width / ratio.height);
  return { width: toSide(side * stretch), height: toSide(side / stretch) };
}

function toSide(length: number): number {
  return Math.min(MAX_SIDE, Math.max(MIN_SIDE, Math.round(length / SIDE_STEP) * SIDE_STEP));
}

/**
 * Returns steps and guidance scale; the WebUI's default is 50 steps for every model. Distilled models need few steps
 * and no guidance, as their model cards say; the usual values oversaturate their images.
 */
export function toSampling(modelName: string): { readonly steps: number; readonly cfg_scale: number } {
  if (/schnell/i.test(modelName)) return { steps: 4, cfg_scale: 1 };
  if (/turbo|lightning|hyper|lcm/i.test(modelName)) return { steps: 8, cfg_scale: 1.5 };
  if (/flux/i.test(modelName)) return { steps: 20, cfg_scale: 1 };
  return { steps: 25, cfg_scale: 7 };
}
