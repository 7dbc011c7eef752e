import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { guessPromptTokens } from '../../../core/generation/index.ts';
import { LimitExceededError } from '../../../core/limits/index.ts';
import type { ChatCompletion } from '../../../core/models/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { printJson } from '../../../lib/json/large-json.ts';
import { createEventDialect } from '../../../protocols/anthropic-messages/answer/print-events.ts';
import {
  type PrintOptions,
  printMessage,
  printUsage,
} from '../../../protocols/anthropic-messages/answer/print-message.ts';
import { readMessagesRequest } from '../../../protocols/anthropic-messages/request/read-request.ts';
import { messagesRequestSchema } from '../../../protocols/anthropic-messages/request/request-schema.ts';
import { printNative } from '../../../protocols/stream/native-answer.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendStream } from '../streams/send-stream.ts';
import { describeMessagesError, MESSAGES_REFUSALS } from './documented-errors.ts';
import { toMessagesLimitHeaders } from './messages-headers.ts';

const messageSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string().describe('The model that answered.'),
    content: z
      .array(z.looseObject({ type: z.string() }))
      .describe('Blocks of type `text`, `thinking` and `tool_use`; others of Anthropic’s models unchanged.'),
    stop_reason: z.string().nullable().describe('`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, …'),
    stop_sequence: z.string().nullish(),
    stop_details: z.looseObject({ type: z.string() }).nullish().describe('Why the model refuses, if it says so.'),
    container: z.looseObject({}).nullish(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  })
  .meta({ id: 'Message' });

const SCHEMA = {
  tags: ['Anthropic'],
  summary: 'Message',
  description:
    "Anthropic's Messages API, for every model. Providers that speak it get the request unchanged, and their answers are returned unchanged; for all others both are translated.",
  security: [{ 'api-key': [] }],
  body: messagesRequestSchema.meta({
    examples: [{ model: 'demo', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello!' }] }],
  }),
  response: {
    200: describeResponse('The message, or with `stream` its events.', {
      'application/json': messageSchema,
      'text/event-stream':
        '`event: {type}` and `data: {event}`, one after the other, from `message_start` to `message_stop`, or to `error` if the answer breaks off.',
    }),
    ...MESSAGES_REFUSALS,
    429: describeMessagesError(
      'A rate limit is reached, yours or that of all providers of the model: `rate_limit_error`. `Retry-After` says when to retry.',
    ),
    502: describeMessagesError('All providers of the model failed: `api_error`.'),
    504: describeMessagesError('No provider of the model answered in time: `timeout_error`.'),
  },
};

/** Adds `POST /ai/anthropic/messages`. Messages and events of providers that use the dialect are forwarded unchanged. */
export function addMessages(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/anthropic/messages', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const options = readMessagesRequest(await parseJsonBody(request.body), request.headers);
    try {
      if (options.isStreamed) {
        const opening = services.generation.stream(requester, options.request, signal);
        const guessTokens = () => guessPromptTokens(options.request);
        const dialect = createEventDialect(options, { guessTokens, requestId: request.id });
        await sendStream(opening, dialect, { request, reply }, services);
        return reply;
      }
      const completion = await services.generation.complete(requester, options.request, signal);
      getRecord(request).markAnswered(completion.outcome);
      return reply.type('application/json; charset=utf-8').send(await toBytes(completion, options));
    } catch (error) {
      addLimitHeaders(reply, error, services.clock);
      throw error;
    }
  });
}

function toBytes(completion: ChatCompletion, options: PrintOptions): Promise<Buffer | string> {
  const { native, outcome } = completion;
  return native?.dialect === 'messages'
    ? printNative(native, () => printUsage(outcome))
    : printJson(printMessage(completion, options));
}

function addLimitHeaders(reply: FastifyReply, error: unknown, clock: Clock): void {
  if (error instanceof LimitExceededError) reply.headers(toMessagesLimitHeaders(error.quotas, clock.now()));
}
