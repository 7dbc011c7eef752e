import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ChatCompletion } from '../../core/models/index.ts';
import { printJson } from '../../lib/json/large-json.ts';
import { modelNameSchema, unixSecondsSchema } from '../../protocols/fields/field-schemas.ts';
import { printCompletion, printUsage } from '../../protocols/openai-chat/print-answer.ts';
import { createChunkDialect } from '../../protocols/openai-chat/print-stream.ts';
import { toChatRequest } from '../../protocols/openai-chat/read-request.ts';
import { chatRequestSchema } from '../../protocols/openai-chat/request-schema.ts';
import { printNative } from '../../protocols/stream/native-answer.ts';
import { getHold } from '../server/bodies/holds.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { getRecord } from '../server/request-log.ts';
import type { HttpServices } from '../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';
import { isResponseBody, readForChat } from './responses/read-for-chat.ts';
import { sendStream } from './streams/send-stream.ts';

const completionSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: unixSecondsSchema,
    model: z.string().describe('The model that answered.'),
    choices: z.array(z.looseObject({ index: z.int(), message: z.looseObject({ role: z.string() }) })).min(1),
  })
  .meta({ id: 'ChatCompletion', description: "The provider's completion, unchanged." });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Chat completion',
  description:
    "OpenAI's protocol, for every OpenAI client. Fields that are not listed here (tools, response_format, …) are passed to the provider unchanged, and its answer is returned unchanged. A body of the Responses API (`input` instead of `messages`), which Cursor sends, is read as one.",
  security: [{ 'api-key': [] }],
  body: chatRequestSchema
    .extend({ model: modelNameSchema })
    .meta({ examples: [{ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }] }),
  response: {
    200: describeResponse('The completion, or with `stream` its chunks.', {
      'application/json': completionSchema,
      'text/event-stream': '`data: {chat.completion.chunk}`, one after the other, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/**
 * Adds `POST /ai/openai/chat/completions`. Completions and chunks of providers that use OpenAI's protocol are forwarded
 * unchanged.
 */
export function addChatCompletions(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/chat/completions', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const body = await parseJsonBody(request.body);
    const params = isResponseBody(body)
      ? await readForChat({ responses: services.responses, userId: requester.userId, hold: getHold(request) }, body)
      : toChatRequest(body['model'], body);
    if (body['stream'] === true) {
      const opening = services.generation.stream(requester, params, signal);
      await sendStream(opening, createChunkDialect(body, services.clock.now()), { request, reply }, services);
      return reply;
    }
    const completion = await services.generation.complete(requester, params, signal);
    getRecord(request).markAnswered(completion.outcome);
    return reply.type('application/json; charset=utf-8').send(await toBytes(completion, services.clock.now()));
  });
}

function toBytes(completion: ChatCompletion, nowMs: number): Promise<Buffer | string> {
  const { native, outcome } = completion;
  return native?.dialect === 'chat-completions'
    ? printNative(native, () => printUsage(outcome))
    : printJson(printCompletion(completion, nowMs));
}
