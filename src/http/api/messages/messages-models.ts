import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ModelEntry, ModelNotFoundError } from '../../../core/models/index.ts';
import { checkFields } from '../../../protocols/fields/check-fields.ts';
import { pageLimitSchema } from '../../../protocols/fields/field-schemas.ts';
import { invalidRequest } from '../../../protocols/http-error.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { describeMessagesError, MESSAGES_REFUSALS } from './documented-errors.ts';

const modelSchema = z
  .strictObject({
    type: z.literal('model'),
    id: z.string().describe('Name for `model` in requests.'),
    display_name: z.string(),
    created_at: z.string().describe('RFC 3339.'),
    max_input_tokens: z.int().nullable().describe('Context length, if known.'),
    max_tokens: z.null().describe('Not known here.'),
    capabilities: z.null().describe('Not known here.'),
    lifecycle: z.null().describe('Not known here.'),
    line: z.null().describe('Not known here.'),
  })
  .meta({ id: 'MessagesModel' });
const pageSchema = z
  .strictObject({
    data: z.array(modelSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'MessagesModelList' });

const MAX_PAGE = 1000;
const querySchema = z.looseObject({
  limit: pageLimitSchema(MAX_PAGE),
  after_id: z.string('must be given once').optional().describe('Last id of the page before.'),
  before_id: z.string('must be given once').optional().describe('First id of the page after.'),
});

const LIST = {
  tags: ['Anthropic'],
  summary: 'List models',
  security: [{ 'api-key': [] }],
  querystring: querySchema,
  response: {
    200: describeResponse('A page of the chat models that are available now.', pageSchema),
    400: describeMessagesError('The query is invalid.'),
    401: MESSAGES_REFUSALS[401],
  },
};
const ONE = {
  tags: ['Anthropic'],
  summary: 'Get a model',
  security: [{ 'api-key': [] }],
  params: z.object({ id: z.string().describe('Name of the model; slashes are not encoded.') }),
  response: {
    200: describeResponse('The model.', modelSchema),
    401: MESSAGES_REFUSALS[401],
    404: MESSAGES_REFUSALS[404],
  },
};

/** Adds `GET /ai/anthropic/models`, in pages, and `GET /ai/anthropic/models/<id>`. Ids may contain slashes. */
export function addMessagesModels(server: FastifyInstance): void {
  server.get('/ai/anthropic/models', { schema: LIST }, (request) => {
    const models = getRequestContext(request)
      .catalogue.list()
      .filter(({ type }) => type === 'chat');
    return toModelPage(models, checkFields(querySchema, request.query));
  });
  server.get<{ Params: { '*': string } }>('/ai/anthropic/models/*', { schema: ONE }, (request) => {
    const id = request.params['*'];
    const entry = getRequestContext(request).catalogue.find(id);
    if (entry?.type !== 'chat') throw new ModelNotFoundError(id);
    return toModel(entry);
  });
}

function toModelPage(models: readonly ModelEntry[], query: z.infer<typeof querySchema>): z.infer<typeof pageSchema> {
  const { limit, after_id: after, before_id: before } = query;
  const start = after === undefined ? 0 : findIndex(models, after, 'after_id') + 1;
  const end = before === undefined ? models.length : findIndex(models, before, 'before_id');
  // A page before an id ends there; all others begin at the start.
  const isBackwards = before !== undefined && after === undefined;
  const from = isBackwards ? Math.max(start, end - limit) : start;
  const data = models.slice(from, isBackwards ? end : Math.min(end, start + limit));
  return {
    data: data.map(toModel),
    has_more: data.length < Math.max(0, end - start),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function findIndex(models: readonly ModelEntry[], id: string, param: string): number {
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw invalidRequest(`'${param}' must be the id of a model in this list.`, param);
  return index;
}

function toModel({ id, displayName, created, contextLength }: ModelEntry): z.infer<typeof modelSchema> {
  return {
    type: 'model',
    id,
    display_name: displayName ?? id,
    created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
    max_input_tokens: contextLength ?? null,
    max_tokens: null,
    capabilities: null,
    lifecycle: null,
    line: null,
  };
}
