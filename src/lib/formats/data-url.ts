/** Content of a data URL; `base64` is not validated. */
export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

const MAX_HEAD_LENGTH = 200;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** Splits `data:<type>;base64,<data>`. Returns undefined for other addresses. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.slice(0, MAX_HEAD_LENGTH + 1).indexOf(',');
  if (comma < 0 || !/^data:/i.test(url)) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  if (!parameters.includes('base64') || !MEDIA_TYPE.test(mediaType)) return undefined;
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, base64: url.slice(comma + 1) };
}
