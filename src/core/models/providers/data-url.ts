/** Content of a data URL. */
export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

const MAX_MEDIA_TYPE_LENGTH = 200;

/** Splits `data:<type>;base64,<data>`. Returns undefined for other addresses. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma < 0 || comma > MAX_MEDIA_TYPE_LENGTH || !/^data:/i.test(url)) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  if (!parameters.includes('base64')) return undefined;
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, base64: url.slice(comma + 1) };
}
