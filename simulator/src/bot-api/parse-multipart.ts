import { badRequest } from '../api-error.ts';
import type { Upload } from './call.ts';

export interface Multipart {
  readonly fields: { readonly [name: string]: string };
  readonly uploads: ReadonlyMap<string, Upload>;
}

/**
 * Parses a `multipart/form-data` body as the Bot API server does: an unquoted name extends to the next semicolon,
 * spaces included, and `filename*` is ignored. Uploads are views into the body, not copies.
 * @throws ApiError 400
 */
export function parseMultipart(contentType: string, body: Buffer): Multipart {
  const [, quoted, token] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw badRequest('boundary parameter must be specified in the Content-Type header');
  const fields: { [name: string]: string } = {};
  const uploads = new Map<string, Upload>();
  for (const part of splitParts(body, `--${boundary}`)) {
    const headEnd = part.indexOf('\r\n\r\n');
    if (headEnd < 0) throw badRequest("can't parse multipart form data");
    const head = part.toString('utf8', 0, headEnd);
    const content = part.subarray(headEnd + 4);
    const name = readParameter(head, 'name');
    const mimeType = /^content-type:\s*([^;\r\n]+)/im.exec(head)?.[1];
    const fileName = readParameter(head, 'filename');
    if (name === undefined) throw badRequest("can't parse multipart form data");
    if (fileName === undefined) fields[name] = content.toString('utf8');
    else uploads.set(name, { bytes: content, fileName: fileName || undefined, mimeType });
  }
  return { fields, uploads };
}

function splitParts(body: Buffer, delimiter: string): Buffer[] {
  if (body.length === 0) return [];
  const parts: Buffer[] = [];
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const begin = at + delimiter.length;
    if (body.toString('latin1', begin, begin + 2) === '--') return parts;
    const end = body.indexOf(`\r\n${delimiter}`, begin);
    if (end < 0) break;
    parts.push(body.subarray(begin + 2, end));
    at = end + 2;
  }
  throw badRequest("can't parse multipart form data");
}

/** Reads a parameter of the `Content-Disposition` header. */
function readParameter(head: string, name: string): string | undefined {
  const [, disposition = ''] = /^content-disposition:(.*)$/im.exec(head) ?? [];
  const [, quoted, token] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, 'i').exec(disposition) ?? [];
  return quoted === undefined ? token?.trim() : quoted.replace(/\\(["\\])/g, '$1');
}
