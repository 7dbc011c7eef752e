import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ChatRequestBody, type ChatStream, readChatChunks } from '../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { toErrorFacts } from '../error-response.ts';
import { invalidRequest } from '../http-error.ts';
import { parseJsonBody } from '../json-body.ts';
import { ClientGoneError } from '../open-exchanges.ts';
import { getRecord } from '../request-log.ts';
import { toChatRequestBody } from './chat-request.ts';
import { refuseLookalikes, toKnownFields } from './check-fields.ts';
import { type BeginResponse, startEventStream } from './event-stream.ts';
import { type Exchange, getExchange } from './exchange.ts';
import type { GenerationApiDeps } from './generation-api-deps.ts';
import { createNativeChunks, toFailedCompletion, toNativeCompletion } from './native-completion.ts';

/** `POST /ai/v2`: the service's own text interface. */
export function addNativeText(server: FastifyInstance, deps: GenerationApiDeps): void {
  server.post('/ai/v2', async (request, reply) => {
    const body = toNativeRequestBody(parseJsonBody(request.body));
    const exchange = getExchange(request);
    if (body['stream'] !== true) return complete(body, exchange, request, deps);
    const stream = await deps.generation.stream(exchange.caller, { body }, exchange.signal);
    getRecord(request).noteAnswered(stream);
    await sendChunks(stream, body.model, request, reply, deps);
    return reply;
  });
}

const KNOWN_FIELDS = toKnownFields(['model', 'request']);

/** `meta` belonged to image models once; native chunks never carry usage, so nothing asks for it. */
function toNativeRequestBody(fields: JsonObject): ChatRequestBody {
  refuseLookalikes(fields, KNOWN_FIELDS);
  const request = fields['request'];
  if (!isJsonObject(request)) throw invalidRequest('\'request\' must be an object with "messages".', 'request');
  const { meta: _meta, stream_options: _streamOptions, ...rest } = request;
  return toChatRequestBody(fields['model'], rest, 'request.');
}

async function complete(
  body: ChatRequestBody,
  { caller, signal }: Exchange,
  request: FastifyRequest,
  deps: GenerationApiDeps,
): Promise<JsonObject> {
  const facts = { model: body.model, user: caller.personId, nowSeconds: Math.floor(deps.clock.now() / 1000) };
  try {
    const completion = await deps.generation.complete(caller, { body }, signal);
    getRecord(request).noteAnswered(completion);
    return toNativeCompletion(completion, facts);
  } catch (error) {
    // The interface tells internal failures inside a 200; what the client can mend, and "come back later", keep their status.
    const { status } = toErrorFacts(error);
    if (signal.aborted || status < 500 || status === 503) throw error;
    request.log.warn({ err: error }, 'a native generation failed');
    return toFailedCompletion(facts);
  }
}

/** Nothing but chunks and `[DONE]`: no pings, and a break is a last chunk with finish reason `error` without `[DONE]` behind it. */
async function sendChunks(
  stream: ChatStream,
  model: string,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GenerationApiDeps,
): Promise<void> {
  const { clock, limits } = deps;
  const begin: BeginResponse = (status, headers) => reply.hijack().raw.writeHead(status, { ...headers });
  const events = startEventStream(begin, { clock, drainTimeoutMs: limits.drainTimeoutMs });
  const chunks = createNativeChunks({ model, nowSeconds: Math.floor(clock.now() / 1000) });
  try {
    for await (const chunk of readChatChunks(stream)) {
      const text = chunks.translate(chunk, { keepsEmpty: events.silenceMs() >= limits.pingIntervalMs });
      if (text !== undefined) await events.write(text);
    }
    events.end(`${chunks.finish(stream.outcome.finishReason)}data: [DONE]\n\n`);
  } catch (error) {
    if (error instanceof ClientGoneError) return;
    request.log.warn({ err: error }, 'a stream broke off');
    events.end(chunks.fail());
  }
}
