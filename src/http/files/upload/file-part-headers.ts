import type { IncomingMessage } from 'node:http';
import { toText } from '../header-text.ts';

/** Parameters of the file part that the form parser drops. */
export interface FilePartFacts {
  /** Name in `filename*` (RFC 8187), which wins over `filename`; undefined if there is none that can be decoded. */
  readonly extendedName: string | undefined;
  /** Media type with its parameters. */
  readonly mediaType: string | undefined;
}

/** More than all fields and headers that a form may have before its file. */
const MAX_RECORDED_BYTES = 512 * 1024;
const HEADERS_END = '\r\n\r\n';
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i;
const PARAMETER = /;\s*([\w-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/**
 * Records the beginning of a form, because the form parser keeps only the plain file name and the media type without
 * `charset`. To be called before the form is parsed.
 */
export function recordForm(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  let recordedBytes = 0;
  /** Must be called when the file part is known, or the form has failed. */
  const stop = (): void => void request.off('data', record);
  const record = (chunk: Buffer) => {
    chunks.push(chunk);
    recordedBytes += chunk.length;
    if (recordedBytes >= MAX_RECORDED_BYTES) stop();
  };
  request.on('data', record);
  return {
    /** Returns the facts about the first file part, if its headers have arrived. */
    find(): FilePartFacts | undefined {
      const [, quoted, plain] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? [];
      const boundary = quoted ?? plain;
      return boundary === undefined ? undefined : findFilePart(Buffer.concat(chunks), boundary);
    },
    stop,
  };
}

function findFilePart(form: Buffer, boundary: string): FilePartFacts | undefined {
  const delimiter = `--${boundary}`;
  for (let at = form.indexOf(delimiter); at >= 0; at = form.indexOf(`\r\n${delimiter}`, at + 1)) {
    const end = form.indexOf(HEADERS_END, at);
    if (end < 0) return undefined;
    const headers = toText(form.toString('latin1', at, end)).replace(/\r\n[ \t]+/g, ' ');
    const disposition = findHeader(headers, 'content-disposition');
    const mediaType = findHeader(headers, 'content-type');
    const names = new Map(
      [...(disposition ?? '').matchAll(PARAMETER)].map(([, name = '', value, bare]) => [
        name.toLowerCase(),
        value ?? bare?.trim() ?? '',
      ]),
    );
    const isFile =
      names.has('filename') || names.has('filename*') || /^application\/octet-stream\b/i.test(mediaType ?? '');
    if (isFile) return { extendedName: decodeExtended(names.get('filename*')), mediaType };
    at = end;
  }
  return undefined;
}

function findHeader(headers: string, name: string): string | undefined {
  return new RegExp(`\r\n${name}[ \t]*:[ \t]*([^\r\n]*)`, 'i').exec(headers)?.[1];
}

/** Decodes an extended parameter: a charset, a language and percent-encoded bytes, separated by apostrophes. */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = /^([\w.:-]{1,40})'[^']*'(.*)$/s.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(
    encoded.replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes) || undefined;
  } catch {
    return undefined;
  }
}
