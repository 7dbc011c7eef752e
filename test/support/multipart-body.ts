/** The boundary of `toMultipartBody`. */
const BOUNDARY = '----the-boundary-of-the-tests';

/** `Content-Type` of `toMultipartBody`. */
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part as its header lines and its body. */
export interface BodyPart {
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

/** A form as bytes, for what no form library would write. */
export function toMultipartBody(parts: readonly BodyPart[], options: { readonly isOpen?: boolean } = {}): Buffer {
  const pieces = parts.flatMap(({ headers, body }) => [
    Buffer.from(`--${BOUNDARY}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(options.isOpen ? '' : `--${BOUNDARY}--\r\n`)]);
}

/** A part named `file`. `disposition` is what stands behind `name="file"`. */
export function filePart(disposition: string, body: string | Buffer = 'bytes'): BodyPart {
  return {
    headers: [`Content-Disposition: form-data; name="file"${disposition}`, 'Content-Type: application/octet-stream'],
    body,
  };
}

/** A part that is no file. */
export function fieldPart(name: string, value: string): BodyPart {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], body: value };
}
