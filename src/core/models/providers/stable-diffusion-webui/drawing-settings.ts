import type { AspectRatio, PictureSize } from '../../image-model.ts';

/** Width and height of a square that a model was trained on, pixels. */
const LARGE = 1024;
const SMALL = 512;
const LARGE_NAMES = /xl|flux|pony|illustrious|noob|sd_?3|stable-diffusion-3|chroma|qwen|lumina|hidream|z[-_]?image/i;

/** The sides of the latent picture are an eighth; 64 is what every model and every extension takes. */
const SIDE_STEP = 64;
const MIN_SIDE = 256;
const MAX_SIDE = 2048;

/**
 * A size near the area that the model draws best, in sides of whole 64 pixels. Far from it a model doubles heads or
 * blurs. The name tells the kind: 1024² for SDXL and what came after it, 768² where the name says 768, else 512².
 * @param nativeSize the side of the square, where the settings say it.
 */
export function toDrawnSize(modelName: string, ratio: AspectRatio, nativeSize: number | undefined): PictureSize {
  const side = nativeSize ?? (LARGE_NAMES.test(modelName) ? LARGE : /768/.test(modelName) ? 768 : SMALL);
  const stretch = Math.sqrt(ratio.width / ratio.height);
  return { width: toSide(side * stretch), height: toSide(side / stretch) };
}

function toSide(length: number): number {
  return Math.min(MAX_SIDE, Math.max(MIN_SIDE, Math.round(length / SIDE_STEP) * SIDE_STEP));
}

/**
 * Steps and guidance in the WebUI's words: it would take 50 steps of every model. Distilled models need few steps and
 * no guidance, as their cards say; with the usual ones their pictures burn.
 */
export function toSampling(modelName: string): { readonly steps: number; readonly cfg_scale: number } {
  if (/schnell/i.test(modelName)) return { steps: 4, cfg_scale: 1 };
  if (/turbo|lightning|hyper|lcm/i.test(modelName)) return { steps: 8, cfg_scale: 1.5 };
  if (/flux/i.test(modelName)) return { steps: 20, cfg_scale: 1 };
  return { steps: 25, cfg_scale: 7 };
}
