import { encodeForm, type FormPart } from '../encode-form.ts';

/** Returns an image to edit as `data:image/…;base64,…`; JPEG, PNG or WebP. */
export function toDataUrl(image: Buffer): string {
  return `data:${mediaTypeOf(image)};base64,${image.toString('base64')}`;
}

/**
 * Returns a form with the images as OpenAI's edits endpoint expects them: one in the field `image`, several in
 * `image[]`.
 */
export function toEditForm(
  { sources, mask }: { readonly sources: readonly Buffer[]; readonly mask: Buffer | undefined },
  fields: Readonly<Record<string, unknown>>,
): { readonly contentType: string; readonly body: Buffer } {
  const texts = Object.entries(fields).map(([field, value]): FormPart => {
    return { field, text: typeof value === 'object' ? JSON.stringify(value) : String(value) };
  });
  const images = sources.map((source) => toPart(sources.length > 1 ? 'image[]' : 'image', source));
  return encodeForm([...texts, ...images, ...(mask ? [toPart('mask', mask)] : [])]);
}

function toPart(field: string, bytes: Buffer): FormPart {
  const mediaType = mediaTypeOf(bytes);
  return { field, bytes, name: mediaType.replace('/', '.'), mediaType };
}

/** Detects the type by the first bytes. */
function mediaTypeOf(image: Buffer): 'image/png' | 'image/jpeg' | 'image/webp' {
  if (image[0] === 0x89) return 'image/png';
  return image[0] === 0xff ? 'image/jpeg' : 'image/webp';
}
