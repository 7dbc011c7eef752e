import { readDataUrl } from '../../../../lib/formats/data-url.ts';
import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import type { ChatRequest, Content, ContentPart } from '../../contract/chat-request.ts';
import { UntranslatableError } from '../../contract/model-errors.ts';
import { createFileDownloads, type FileDownloads } from '../download-files.ts';

const ADDRESS = /^https?:/i;
const PDF = 'application/pdf';

/**
 * Downloads the files that messages contain as addresses: in chat completions a file is part of the request. Requests in
 * this dialect stay as they are.
 * @throws UntranslatableError; the signal's reason.
 */
export async function withDownloadedFiles(
  download: Download,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatRequest> {
  const { messages, native } = request;
  if (native?.dialect === 'chat-completions' || !messages.some(({ content }) => listAddresses(content).length > 0))
    return request;
  const files = createFileDownloads(download, signal);
  const downloaded: ChatRequest['messages'][number][] = [];
  for (const message of messages) downloaded.push({ ...message, content: await downloadIn(message.content, files) });
  return { ...request, messages: downloaded };
}

function listAddresses(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [] : content.filter(isAddressed);
}

function isAddressed(part: ContentPart): part is Extract<ContentPart, { readonly type: 'file' }> {
  return part.type === 'file' && ADDRESS.test(part.url);
}

async function downloadIn(content: Content, files: FileDownloads): Promise<Content> {
  if (typeof content === 'string') return content;
  const parts: ContentPart[] = [];
  for (const part of content) parts.push(isAddressed(part) ? await downloadPart(part, files) : part);
  return parts;
}

/** Hosts accept PDF files only. */
async function downloadPart(
  { url, name = 'file.pdf', cacheControl }: Extract<ContentPart, { readonly type: 'file' }>,
  files: FileDownloads,
): Promise<ContentPart> {
  const bytes = await files.fetch(url);
  if (bytes.subarray(0, 5).toString('latin1') !== '%PDF-')
    throw new UntranslatableError('messages', 'must have only PDF as files at web addresses');
  return { type: 'file', url: `data:${PDF};base64,${bytes.toString('base64')}`, name, cacheControl };
}

/** Returns a body of chat completions whose PDF files are in parts of the type `image_url`. */
export function withPdfImages(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  return {
    ...body,
    messages: messages.map((message: unknown) =>
      isJsonObject(message) && Array.isArray(message.content)
        ? { ...message, content: message.content.map(toPdfImage) }
        : message,
    ),
  };
}

function toPdfImage(part: unknown): unknown {
  const file = isJsonObject(part) && part.type === 'file' && isJsonObject(part.file) ? part.file : {};
  const { file_data: url } = file;
  const isPdf = typeof url === 'string' && readDataUrl(url)?.mediaType === PDF;
  return isPdf ? { type: 'image_url', image_url: { url } } : part;
}
