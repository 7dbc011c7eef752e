export type { Dimensions, ImageFormat } from './decode-image.ts';
export { UnreadableImageError } from './decode-in-child.ts';
export {
  convertImage,
  coverSize,
  cropToRatio,
  type Image,
  limitImage,
  readImage,
  shrinkForPage,
} from './image.ts';
export { ASPECT_RATIOS, DEFAULT_RATIO, findNearestRatio, parseRatio } from './ratios.ts';
export { type RenderedText, renderLine, renderText } from './render-text.ts';
