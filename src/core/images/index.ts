export {
  convertPicture,
  coverSize,
  cropToRatio,
  type Dimensions,
  limitPicture,
  type Picture,
  type PictureFormat,
  readPicture,
  shrinkForPage,
  UnreadablePictureError,
} from './picture.ts';
export { ASPECT_RATIOS, DEFAULT_RATIO, parseRatio } from './ratios.ts';
export { type RenderedText, renderLine, renderText } from './render-text.ts';
