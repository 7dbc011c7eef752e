import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type SharedPage, toPageName } from '../../core/shared-conversations/index.ts';
import type { StoredFile } from '../../core/storage/index.ts';
import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import { QueueFullError, WorkQueue } from '../../lib/async/work-queue.ts';
import { runWithin } from '../../lib/clock.ts';
import type { HttpError } from '../../protocols/http-error.ts';
import { cloudError } from '../files/cloud-error.ts';
import { createRemoval } from '../files/deletion.ts';
import { toContentDisposition } from '../files/download/content-disposition.ts';
import { sendMissingPage } from '../files/download/file-page.ts';
import { judgePreconditions } from '../files/download/preconditions.ts';
import { readFileId } from '../files/file-id.ts';
import { getFileRequest, installFileRequests } from '../files/file-requests.ts';
import { DELETION, describeError, describePage, FILE_PARAMS, NOT_MODIFIED } from '../files/route-schemas.ts';
import { installHolds } from '../server/bodies/holds.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import { describeResponse } from '../server/openapi.ts';
import type { HttpServices } from '../services.ts';
import { CONVERSATION_HEADERS, type RenderingOptions, renderConversationPage } from './conversation-page.ts';

/** A rendered page. */
export interface RenderedPage {
  readonly body: Buffer;
  /** A strong entity tag with its quotes. */
  readonly etag: string;
}

interface PageParams {
  readonly Params: { readonly id: string };
}

/** Representation of a shared conversation. */
interface Form {
  readonly mediaType: string;
  /** Extension of the saved file; unset if browsers display the response. */
  readonly ending?: string;
  readonly render: (page: SharedPage, options: RenderingOptions) => Promise<string> | string;
}

const PAGE: Form = { mediaType: 'text/html; charset=utf-8', render: renderConversationPage };
const MARKDOWN: Form = { mediaType: 'text/markdown; charset=utf-8', ending: 'md', render: toConversationMarkdown };
const JSON_FILE: Form = {
  mediaType: 'application/json; charset=utf-8',
  ending: 'json',
  render: ({ conversation }) => JSON.stringify(conversation, undefined, 2),
};

const describeForm = (summary: string, found: ReturnType<typeof describeResponse>) => ({
  tags: ['Files'],
  summary,
  params: FILE_PARAMS,
  response: {
    200: found,
    304: NOT_MODIFIED,
    404: describePage('The page does not exist or has been deleted.'),
    412: describeError('The page does not match `If-Match`.'),
  },
});
const PAGE_SCHEMA = {
  ...describeForm('A shared conversation', describePage('The page.')),
  description: 'The page of a conversation that a user has shared with `/share`.',
};
const MARKDOWN_SCHEMA = describeForm(
  'A shared conversation as Markdown',
  describeResponse('All messages.', { 'text/markdown': 'The messages as they were written.' }),
);
const JSON_SCHEMA = describeForm(
  'A shared conversation as JSON',
  describeResponse('All messages, with their images.', { 'application/json': 'The stored conversation.' }),
);

const RETRY_AFTER_S = 5;
const CACHE_BYTES = 32 * 1024 * 1024;
const READ_TIMEOUT_MS = 30_000;
/** Maximum number of pages loaded and rendered concurrently: each may take some 50 MB and seconds of CPU time. */
const MAX_RENDERING = 2;
const MAX_WAITING = 20;
/** Timeout after which a client gets 503. Rendering continues, so a later request finds the page in the cache. */
const WAIT_TIMEOUT_MS = 30_000;

/**
 * Adds `/share/<id>`: a shared conversation as a page, and below it as Markdown and JSON. `DELETE` with the owner key
 * removes it. A shared conversation is a file and also available at `/file/<id>` and `/delete/<id>`. Must be registered
 * in a context of its own.
 */
export function addSharedPages(server: FastifyInstance, services: HttpServices): void {
  installFileRequests(server, () => services.inFlight.pages);
  installHolds(server, services, toClientAddress);
  const cache = createPageCache({ maxBytes: CACHE_BYTES });
  const queue = new WorkQueue({ total: MAX_RENDERING, maxWaiting: MAX_WAITING });
  const closing = new AbortController();
  server.addHook('onClose', async () => closing.abort(pagesBusy()));
  const render = async ({ id }: StoredFile, form: Form): Promise<RenderedPage | undefined> => {
    const page = await services.sharedConversations.find(id, AbortSignal.timeout(READ_TIMEOUT_MS));
    if (!page) return undefined;
    const { telegramUrl, logger } = services;
    const options = { clock: services.clock, telegramUrl, logger, signal: closing.signal };
    const body = Buffer.from(await form.render(page, options));
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  };
  const queueRendering = (file: StoredFile, form: Form) =>
    queue
      .run(() => render(file, form), { signal: closing.signal })
      .catch((error: unknown) => {
        throw error instanceof QueueFullError ? pagesBusy({ cause: error }) : error;
      });
  const waitFor = (page: Promise<RenderedPage | undefined>, left: AbortSignal) =>
    runWithin(services.clock, { timeoutMs: WAIT_TIMEOUT_MS, toReason: () => pagesBusy(), signal: left }, (inTime) =>
      leaveOnAbort(page, inTime),
    );
  const give = (form: Form) => async (request: FastifyRequest<PageParams>, reply: FastifyReply) => {
    const { signal: left } = getFileRequest(request);
    const id = readFileId(request.params.id);
    const file = id === undefined ? undefined : await services.storage.find(id);
    if (file?.kind !== 'conversation') return sendMissingPage(reply);
    const key = [id, form.mediaType, file.name].join(' ');
    const page = await waitFor(
      cache.get(key, () => queueRendering(file, form)),
      left,
    );
    return page ? send(page, { file, form, request, reply }) : sendMissingPage(reply);
  };
  server.get<PageParams>('/share/:id', { schema: PAGE_SCHEMA }, give(PAGE));
  server.get<PageParams>('/share/:id/conversation.md', { schema: MARKDOWN_SCHEMA }, give(MARKDOWN));
  server.get<PageParams>('/share/:id/conversation.json', { schema: JSON_SCHEMA }, give(JSON_FILE));
  server.delete<PageParams>(
    '/share/:id',
    { schema: { ...DELETION, summary: 'Delete a shared conversation' } },
    createRemoval(services),
  );
}

function pagesBusy(options?: ErrorOptions): HttpError {
  const retryAfter = { 'retry-after': String(RETRY_AFTER_S) };
  return cloudError(503, 'unavailable', 'Too many pages are being prepared right now.', retryAfter, options);
}

interface PageRequest {
  readonly file: StoredFile;
  readonly form: Form;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function send({ body, etag }: RenderedPage, { file, form, request, reply }: PageRequest): FastifyReply {
  const verdict = judgePreconditions(request.headers, { etag, lastModifiedMs: file.createdAt.getTime() });
  if (verdict === 'failed')
    throw cloudError(412, 'precondition_failed', 'The page does not match the preconditions of the request.');
  reply.headers({ ...CONVERSATION_HEADERS, etag });
  if (verdict === 'not-modified') return reply.code(304).send();
  if (form.ending !== undefined) {
    reply.header('content-disposition', toContentDisposition('attachment', `${toPageName(file)}.${form.ending}`));
  }
  return reply.type(form.mediaType).send(body);
}

/** Converts a shared conversation to a Markdown document, with the original text. Images are only in the JSON. */
function toConversationMarkdown({ title, conversation }: SharedPage): string {
  const chunks = conversation.messages.flatMap(({ role, model, content, pictures = [], omittedCount = 0 }) => {
    const fileCount = pictures.length + omittedCount;
    const files = fileCount > 0 ? [`_Files not included in this document: ${fileCount}_`] : [];
    return [`## ${role === 'user' ? 'Question' : (model ?? 'Answer')}`, ...files, content];
  });
  return `${[`# ${title}`, ...chunks].filter((chunk) => chunk !== '').join('\n\n')}\n`;
}

/** @param maxBytes size of all pages together; a larger page is not cached. */
export function createPageCache({ maxBytes }: { readonly maxBytes: number }) {
  const pages = new LRUCache<string, RenderedPage>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => Math.max(1, body.length),
  });
  const rendering = new Map<string, Promise<RenderedPage | undefined>>();

  const renderAndCache = async (key: string, render: () => Promise<RenderedPage | undefined>) => {
    try {
      const page = await render();
      if (page) pages.set(key, page);
      return page;
    } finally {
      rendering.delete(key);
    }
  };

  return {
    /**
     * Returns the cached page or renders it. Concurrent requests share one rendering. Errors and missing pages are not
     * cached.
     */
    async get(key: string, render: () => Promise<RenderedPage | undefined>): Promise<RenderedPage | undefined> {
      const cached = pages.get(key);
      if (cached) return cached;
      const page = rendering.get(key) ?? renderAndCache(key, render);
      rendering.set(key, page);
      return page;
    },
  };
}
