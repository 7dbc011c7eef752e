/** Returns an image to edit as `data:image/…;base64,…`; JPEG, PNG or WebP. */
export function toDataUrl(image: Buffer): string {
  return `data:${mediaTypeOf(image)};base64,${image.toString('base64')}`;
}

/** Returns a form with an image in the field `image`, as OpenAI's edits endpoint expects. */
export async function toEditForm(
  image: Buffer,
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly contentType: string; readonly body: Buffer }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const type = mediaTypeOf(image);
  form.append('image', new Blob([new Uint8Array(image)], { type }), `image.${type.slice('image/'.length)}`);
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    body: Buffer.from(await encoded.arrayBuffer()),
  };
}

/** Detects the type by the first bytes. */
function mediaTypeOf(image: Buffer): 'image/png' | 'image/jpeg' | 'image/webp' {
  if (image[0] === 0x89) return 'image/png';
  return image[0] === 0xff ? 'image/jpeg' : 'image/webp';
}
