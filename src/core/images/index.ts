export { UnreadablePictureError } from './decode-in-child.ts';
export type { Dimensions, PictureFormat } from './decode-picture.ts';
export {
  convertPicture,
  coverSize,
  cropToRatio,
  limitPicture,
  type Picture,
  readPicture,
  shrinkForPage,
} from './picture.ts';
export { ASPECT_RATIOS, DEFAULT_RATIO, parseRatio } from './ratios.ts';
export { type RenderedText, renderLine, renderText } from './render-text.ts';
