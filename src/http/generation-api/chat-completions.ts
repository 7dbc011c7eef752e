import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChatStream } from '../../core/models/index.ts';
import { toErrorBody, toErrorFacts } from '../error-response.ts';
import { parseJsonBody } from '../json-body.ts';
import { ClientGoneError } from '../open-exchanges.ts';
import { noteAnswered } from '../request-log.ts';
import { toChatRequest } from './chat-request.ts';
import { keepAwake, startEventStream } from './event-stream.ts';
import { getExchange } from './exchange.ts';
import type { GenerationApiDeps } from './generation-api-deps.ts';

/** `POST /ai/openai/chat/completions`: OpenAI's protocol; what providers say is forwarded byte for byte. */
export function addChatCompletions(server: FastifyInstance, deps: GenerationApiDeps): void {
  server.post('/ai/openai/chat/completions', async (request, reply) => {
    const fields = parseJsonBody(request.body);
    const order = toChatRequest(fields, request.body);
    const { caller, signal } = getExchange(request);
    if (order.body['stream'] === true) {
      const stream = await deps.generation.stream(caller, order, signal);
      noteAnswered(request, stream);
      await forwardStream(stream, request, reply, deps);
      return reply;
    }
    const completion = await deps.generation.complete(caller, order, signal);
    noteAnswered(request, completion);
    return reply.type('application/json; charset=utf-8').send(completion.bytes);
  });
}

async function forwardStream(
  stream: ChatStream,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GenerationApiDeps,
): Promise<void> {
  const events = startEventStream(reply, { clock: deps.clock, drainTimeoutMs: deps.limits.drainTimeoutMs });
  const stopPings = keepAwake(events, deps.clock, deps.limits.pingIntervalMs);
  try {
    for await (const bytes of stream) await events.write(bytes);
    events.end('data: [DONE]\n\n');
  } catch (error) {
    if (error instanceof ClientGoneError) return;
    request.log.warn({ err: error }, 'a stream broke off');
    events.end(`data: ${JSON.stringify(toErrorBody(toErrorFacts(error)))}\n\n`);
  } finally {
    stopPings();
  }
}
