import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { readDataUrl } from '../../../../lib/formats/data-url.ts';
import type { Download } from '../../../../lib/http/public-fetch.ts';
import type { ContentPart } from '../../contract/chat-message.ts';
import { UntranslatableError } from '../../contract/model-errors.ts';
import { createFileDownloads } from '../download-files.ts';

/** Converts images and files. Those of one request are counted together. */
export type FileReader = ReturnType<typeof createFileReader>;

const SAMPLE_BYTES = 4096;

/** Creates a reader for one request. Vendors do not fetch addresses, so files at public addresses are downloaded here. */
export function createFileReader(download: Download, signal: AbortSignal) {
  const files = createFileDownloads(download, signal);
  return {
    /** @throws UntranslatableError; the signal's reason. */
    async read(part: Extract<ContentPart, { readonly type: 'image' | 'file' }>): Promise<LanguageModelV4FilePart> {
      const filename = part.type === 'file' && part.name ? { filename: part.name } : {};
      if (/^https?:/i.test(part.url)) {
        const bytes = await files.fetch(part.url);
        // Packages encode bytes much slower than Node.
        const data = { type: 'data' as const, data: bytes.toString('base64') };
        return { type: 'file', mediaType: guessMediaType(part.type, bytes), data, ...filename };
      }
      const file = readDataUrl(part.url);
      if (!file)
        throw new UntranslatableError('messages', 'must have images and files as web addresses or data URLs in base64');
      files.count((file.base64.length * 3) / 4);
      const mediaType = TEXT_TYPES[file.mediaType] ?? file.mediaType;
      return { type: 'file', mediaType, data: { type: 'data', data: file.base64 }, ...filename };
    },
  };
}

/** Packages recognize the formats of images. */
function guessMediaType(type: 'image' | 'file', bytes: Buffer): string {
  if (type === 'image') return 'image';
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf';
  if (!bytes.subarray(0, SAMPLE_BYTES).includes(0)) return 'text/plain';
  throw new UntranslatableError('messages', 'must have only PDF and text as files at web addresses');
}

/** Text formats that vendors don't know by their names. */
const TEXT_TYPES: Readonly<Record<string, string>> = { 'application/json': 'text/plain' };
