import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { StoredResponse, StoredResponses } from '../../../core/responses/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../../protocols/fields/check-fields.ts';
import { pageLimitSchema } from '../../../protocols/fields/field-schemas.ts';
import { HttpError, invalidRequest } from '../../../protocols/http-error.ts';
import { printChatAnswer } from '../../../protocols/openai-responses/answer/print-response.ts';
import { responseSchema } from '../../../protocols/openai-responses/answer/response-schema.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { describeError, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import type { BackgroundResponses } from './background.ts';

const PATH = '/ai/openai/responses/:id';
const COMMON = {
  tags: ['OpenAI'],
  security: [{ 'api-key': [] }],
  params: z.object({ id: z.string().describe('Id of a response.') }),
};
const NOT_FOUND = describeError('You have no stored response with this id: `response_not_found`.');
const getQuerySchema = z.looseObject({
  stream: z.literal('false', "must not be 'true': a stored response is returned whole").optional(),
});
const GET = {
  ...COMMON,
  summary: 'Get a stored response',
  querystring: getQuerySchema,
  response: {
    200: describeResponse('The response.', responseSchema),
    400: REFUSALS[400],
    401: REFUSALS[401],
    404: NOT_FOUND,
  },
};
const DELETE = {
  ...COMMON,
  summary: 'Delete a stored response',
  description: 'Its messages disappear from the conversation as well, unless other messages follow them.',
  response: {
    200: describeResponse(
      'It is deleted.',
      z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
    ),
    401: REFUSALS[401],
    404: NOT_FOUND,
  },
};
const CANCEL = {
  ...COMMON,
  summary: 'Cancel a background response',
  response: {
    200: describeResponse('The cancelled response, or the response if it is finished.', responseSchema),
    400: describeError('It was not created with `background`.'),
    401: REFUSALS[401],
    404: NOT_FOUND,
  },
};
const listQuerySchema = z.looseObject({
  limit: pageLimitSchema(100),
  order: z.enum(['asc', 'desc'], "must be 'asc' or 'desc'").default('desc'),
  after: z.string('must be given once').optional().describe('Id of the item before the page.'),
});
const INPUT_ITEMS = {
  ...COMMON,
  summary: 'List the input items of a stored response',
  querystring: listQuerySchema,
  response: {
    200: describeResponse(
      'A page of the items that this response has added to its conversation.',
      z.strictObject({
        object: z.literal('list'),
        data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
        first_id: z.string().nullable(),
        last_id: z.string().nullable(),
        has_more: z.boolean(),
      }),
    ),
    400: REFUSALS[400],
    401: REFUSALS[401],
    404: NOT_FOUND,
  },
};

type IdRequest = FastifyRequest<{ Params: { id: string } }>;

/** Adds the routes below `/ai/openai/responses/<id>`: get, delete, cancel, list input items. */
export function addStoredResponses(
  server: FastifyInstance,
  { responses }: HttpServices,
  background: BackgroundResponses,
): void {
  const find = async (request: IdRequest): Promise<StoredResponse> => {
    const found = await responses.find(getRequestContext(request).requester.userId, request.params.id);
    if (!found) throw notFound();
    return found;
  };

  server.get(PATH, { schema: GET }, async (request: IdRequest) => {
    checkFields(getQuerySchema, request.query);
    return toBody(await find(request));
  });

  server.delete(PATH, { schema: DELETE }, async (request: IdRequest) => {
    const { id } = request.params;
    if (!(await responses.delete(getRequestContext(request).requester.userId, id))) throw notFound();
    await background.stop(id);
    return { id, object: 'response', deleted: true };
  });

  server.post(`${PATH}/cancel`, { schema: CANCEL }, async (request: IdRequest) => {
    const { userId } = getRequestContext(request).requester;
    // Not the body as it is shown: that of a lost response has an error.
    const { body } = await find(request);
    if (body?.['background'] !== true) throw invalidRequest('Only a response with background: true can be cancelled.');
    if (!(await background.cancel(userId, request.params.id, body))) return toBody(await find(request));
    return { ...body, status: 'cancelled' };
  });

  server.get(`${PATH}/input_items`, { schema: INPUT_ITEMS }, async (request: IdRequest) => {
    const query = checkFields(listQuerySchema, request.query);
    const { userId } = getRequestContext(request).requester;
    const found = await find(request);
    const items = found.body ? found.input : await readQuestion(responses, userId, found.id);
    return toPage(query.order === 'asc' ? items : items.toReversed(), query);
  });
}

function notFound(): HttpError {
  return new HttpError({
    status: 404,
    type: 'invalid_request_error',
    code: 'response_not_found',
    message: 'You have no stored response with this id.',
  });
}

function toBody({ id, body, message, createdAt, state }: StoredResponse): JsonObject {
  if (!body) return printChatAnswer({ id, createdAt, text: message?.text ?? '', model: message?.model ?? '' });
  if (state === 'waiting') return { ...body, status: 'queued' };
  if (state !== 'lost') return body;
  return { ...body, status: 'failed', error: { code: 'server_error', message: 'The service stopped meanwhile.' } };
}

/** Returns the question that an answer of a chat answers. */
async function readQuestion(responses: StoredResponses, userId: number, id: string): Promise<readonly JsonObject[]> {
  const turns = (await responses.readTurns(userId, id)) ?? [];
  const question = turns.at(-2);
  if (question?.kind !== 'message') return [];
  const content = [{ type: 'input_text', text: question.text }];
  return [{ id: id.replace('resp_', 'msg_'), type: 'message', status: 'completed', role: question.role, content }];
}

function toPage(items: readonly JsonObject[], { limit, after }: z.infer<typeof listQuerySchema>): JsonObject {
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalidRequest("'after' is not the id of an input item.", 'after');
  const data = items.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + limit < items.length,
  };
}
