import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type SharedConversations, type SharedPage, toPageName } from '../../core/shared-conversations/index.ts';
import type { StoredFile } from '../../core/storage/index.ts';
import type { CloudApiDeps } from '../cloud-api/cloud-api-deps.ts';
import { cloudError } from '../cloud-api/cloud-error.ts';
import { toContentDisposition } from '../cloud-api/content-disposition.ts';
import { createRemoval } from '../cloud-api/deletion.ts';
import { installFileExchanges } from '../cloud-api/file-exchange.ts';
import { isFileId } from '../cloud-api/file-id.ts';
import { judgePreconditions } from '../cloud-api/preconditions.ts';
import { sendMissingPage } from '../cloud-api/show-page.ts';
import { toConversationMarkdown } from './conversation-markdown.ts';
import { CONVERSATION_HEADERS, renderConversationPage } from './conversation-page.ts';
import { createPageCache, type RenderedPage } from './page-cache.ts';

interface PageParams {
  readonly Params: { readonly id: string };
}

/** What can be had of a shared conversation. */
interface Form {
  readonly mediaType: string;
  /** Unset: it is shown. */
  readonly ending?: string;
  readonly render: (page: SharedPage) => Promise<string> | string;
}

const PAGE: Form = { mediaType: 'text/html; charset=utf-8', render: renderConversationPage };
const MARKDOWN: Form = { mediaType: 'text/markdown; charset=utf-8', ending: 'md', render: toConversationMarkdown };
const JSON_FILE: Form = {
  mediaType: 'application/json; charset=utf-8',
  ending: 'json',
  render: ({ conversation }) => JSON.stringify(conversation, undefined, 2),
};

const CACHE_BYTES = 32 * 1024 * 1024;
const READ_TIMEOUT_MS = 30_000;

/**
 * `/share/<id>`: a conversation that somebody has shared, as a page; behind it as Markdown and as JSON. `DELETE` with its owner key
 * removes it. It is a file like others: what else files have, they have at `/file/<id>` and `/delete/<id>`.
 * To be registered in a context of its own.
 */
export function addSharedPages(
  server: FastifyInstance,
  deps: CloudApiDeps & { readonly sharedConversations: Pick<SharedConversations, 'find'> },
): void {
  installFileExchanges(server, () => deps.pages);
  const cache = createPageCache({ maxBytes: CACHE_BYTES });
  const render = async ({ id }: StoredFile, form: Form): Promise<RenderedPage | undefined> => {
    const page = await deps.sharedConversations.find(id, AbortSignal.timeout(READ_TIMEOUT_MS));
    if (!page) return undefined;
    const body = Buffer.from(await form.render(page));
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  };
  const give = (form: Form) => async (request: FastifyRequest<PageParams>, reply: FastifyReply) => {
    const { id } = request.params;
    const file = isFileId(id) ? await deps.storage.find(id) : undefined;
    if (file?.kind !== 'conversation') return sendMissingPage(reply);
    const key = [id, form.mediaType, file.name].join(' ');
    const page = await cache.get(key, () => render(file, form));
    return page ? send(page, { file, form, request, reply }) : sendMissingPage(reply);
  };
  server.get<PageParams>('/share/:id', give(PAGE));
  server.get<PageParams>('/share/:id/conversation.md', give(MARKDOWN));
  server.get<PageParams>('/share/:id/conversation.json', give(JSON_FILE));
  server.delete<PageParams>('/share/:id', createRemoval(deps));
}

interface Exchange {
  readonly file: StoredFile;
  readonly form: Form;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function send({ body, etag }: RenderedPage, { file, form, request, reply }: Exchange): FastifyReply {
  const verdict = judgePreconditions(request.headers, { etag, lastModifiedMs: file.createdAt.getTime() });
  if (verdict === 'failed') throw cloudError(412, 'precondition_failed', 'The page is not in the state asked for.');
  reply.headers({ ...CONVERSATION_HEADERS, etag });
  if (verdict === 'not-modified') return reply.code(304).send();
  if (form.ending !== undefined) {
    reply.header('content-disposition', toContentDisposition('attachment', `${toPageName(file)}.${form.ending}`));
  }
  return reply.type(form.mediaType).send(body);
}
