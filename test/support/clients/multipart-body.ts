/** Boundary of `toMultipartBody`. */
const BOUNDARY = '----the-boundary-of-the-tests';

/** `Content-Type` of `toMultipartBody`. */
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Header lines and body of a part. */
export interface BodyPart {
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

/** Encodes a form, including malformed ones that no library would write. */
export function toMultipartBody(parts: readonly BodyPart[], options: { readonly isOpen?: boolean } = {}): Buffer {
  const pieces = parts.flatMap(({ headers, body }) => [
    Buffer.from(`--${BOUNDARY}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(options.isOpen ? '' : `--${BOUNDARY}--\r\n`)]);
}

/** Returns a part named `file`. `disposition` is appended to `name="file"`. */
export function filePart(disposition: string, body: string | Buffer = 'bytes'): BodyPart {
  return {
    headers: [`Content-Disposition: form-data; name="file"${disposition}`, 'Content-Type: application/octet-stream'],
    body,
  };
}

/** Returns a part with a text field. */
export function fieldPart(name: string, value: string): BodyPart {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], body: value };
}
