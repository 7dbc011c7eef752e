import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChatCompletion, ChatEvent, ChatRequest, ChatStream } from '../../../core/models/index.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { toErrorBody, toErrorFacts } from '../../error-response.ts';
import { ClientGoneError } from '../../in-flight-requests.ts';
import { parseJsonBody } from '../../json-body.ts';
import { describeResponse } from '../../openapi.ts';
import { getRecord } from '../../request-log.ts';
import { modelNameSchema } from '../check-fields.ts';
import { describeError, FAILURES, REFUSALS, unixSecondsSchema } from '../documented-errors.ts';
import { type EventStream, keepAwake, PING, startEventStream } from '../event-stream.ts';
import type { GenerationApiDeps } from '../generation-api-deps.ts';
import { getRequestContext } from '../request-context.ts';
import { chatRequestSchema, toChatRequest } from './chat-request.ts';
import { isUsageAlone, printCompletion, printFirstChunk, printPart, toHead } from './print-chat.ts';

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
    "OpenAI's protocol, for every OpenAI client. Fields that are not listed here (tools, response_format, …) are passed to the provider unchanged, and its answer is returned unchanged.",
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
    504: describeError('No provider of the model answered in time: `upstream_timeout`.'),
  },
};

/**
 * Adds `POST /ai/openai/chat/completions`. Completions and chunks of providers that use OpenAI's protocol are forwarded
 * unchanged.
 */
export function addChatCompletions(server: FastifyInstance, deps: GenerationApiDeps): void {
  server.post('/ai/openai/chat/completions', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const body = parseJsonBody(request.body);
    const params = toChatRequest(body['model'], body);
    if (body['stream'] === true) {
      await sendStream(deps.generation.stream(requester, params, signal), { params, request, reply }, deps);
      return reply;
    }
    const completion = await deps.generation.complete(requester, params, signal);
    getRecord(request).markAnswered(completion);
    return reply.type('application/json; charset=utf-8').send(toBytes(completion, deps.clock.now()));
  });
}

function toBytes(completion: ChatCompletion, nowMs: number): Buffer | string {
  const { native } = completion;
  return native?.dialect === 'chat-completions' ? native.bytes : JSON.stringify(printCompletion(completion, nowMs));
}

interface StreamContext {
  readonly params: ChatRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Sends a stream as server-sent events. The status is delayed until the stream has opened, so that earlier failures get
 * their own status. After `pingIntervalMs` the response starts with pings anyway, because proxies time out responses
 * without headers.
 * @throws the error of `opening` if the response has not started.
 */
async function sendStream(
  opening: Promise<ChatStream>,
  { params, request, reply }: StreamContext,
  { clock, limits: { drainTimeoutMs, pingIntervalMs } }: GenerationApiDeps,
): Promise<void> {
  let events: EventStream | undefined;
  let stopPings = () => {};
  const beginEvents = () => {
    events = startEventStream(reply, { clock, drainTimeoutMs });
    stopPings = keepAwake(events, clock, pingIntervalMs);
    return events;
  };
  const cancelBeginning = clock.setTimer(pingIntervalMs, () =>
    beginEvents()
      .write(PING)
      ?.catch(() => {}),
  );
  try {
    const stream = await opening;
    cancelBeginning();
    getRecord(request).markAnswered(stream);
    const answer = events ?? beginEvents();
    const print = createPrinter(stream, params, clock.now());
    for await (const event of stream) {
      const text = print(event);
      if (text !== '') await answer.write(text);
    }
    answer.end('data: [DONE]\n\n');
  } catch (error) {
    cancelBeginning();
    if (error instanceof ClientGoneError) return;
    if (!events) throw error;
    request.log.warn({ err: error }, 'a stream was interrupted');
    events.end(`data: ${JSON.stringify(toErrorBody(toErrorFacts(error)))}\n\n`);
  } finally {
    stopPings();
  }
}

/**
 * Returns a function that converts events to server-sent events. The usage chunk is sent only if the client requested
 * it.
 */
function createPrinter({ outcome }: ChatStream, { native }: ChatRequest, nowMs: number): (event: ChatEvent) => string {
  const options = native?.body['stream_options'];
  const wantsUsage = isJsonObject(options) && options['include_usage'] === true;
  const head = toHead(outcome, { model: outcome.model, nowMs });
  let isFirst = true;
  return (event) => {
    const { parts, native: chunk } = event;
    if (!wantsUsage && isUsageAlone(event)) return '';
    if (chunk?.dialect === 'chat-completions') return `data: ${chunk.data}\n\n`;
    const printed = parts.filter(({ type }) => wantsUsage || type !== 'usage').map((part) => printPart(part, head));
    if (isFirst) printed.unshift(printFirstChunk(head));
    isFirst = false;
    return printed.map((object) => `data: ${JSON.stringify(object)}\n\n`).join('');
  };
}
