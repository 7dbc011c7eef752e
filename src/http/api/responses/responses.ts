import type { FastifyInstance } from 'fastify';
import { type ChatCompletion, listParts } from '../../../core/models/index.ts';
import { createId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { printJson } from '../../../lib/json/large-json.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendStream } from '../streams/send-stream.ts';
import { createBackgroundResponses } from './background.ts';
import { createOutputBuilder } from './build-output.ts';
import { addInputTokens } from './input-tokens.ts';
import { createEventDialect } from './print-events.ts';
import { createResponsePrinter, type PrintResponse, toStatus } from './print-response.ts';
import { readHistory } from './read-history.ts';
import { type ResponseRequest, readResponseRequest, toChatRequest } from './response-request.ts';
import { documentedRequestSchema } from './response-request-schema.ts';
import { responseSchema } from './response-schema.ts';
import { isToBeStored, requireStorable, saveResponse } from './save-response.ts';
import { addStoredResponses } from './stored-responses.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Response',
  description:
    "OpenAI's Responses API and Open Responses, translated for every model. Fields that are not listed here go to the provider.",
  security: [{ 'api-key': [] }],
  body: documentedRequestSchema,
  response: {
    200: describeResponse('The response, or with `stream` its events.', {
      'application/json': responseSchema,
      'text/event-stream':
        '`event: {type}` and `data: {event}`, one after the other, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/responses` and the routes of stored responses. */
export function addResponses(server: FastifyInstance, services: HttpServices): void {
  const background = createBackgroundResponses(services);
  server.addHook('onClose', () => background.close());
  server.post('/ai/openai/responses', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const fields = await parseJsonBody(request.body);
    const history = await readHistory(
      { responses: services.responses, userId: requester.userId, hold: getHold(request) },
      fields,
    );
    const params = readResponseRequest({ ...fields, input: history.input }, history.previousItems);
    const chatRequest = toChatRequest(params);
    if (isToBeStored(params)) {
      // The input is stored twice, as items and as messages.
      const expectedBytes = 2 * (Buffer.isBuffer(request.body) ? request.body.length : 0);
      const giveBack = await services.responses.reserve(requester.userId, expectedBytes);
      if (reply.raw.closed) giveBack();
      else reply.raw.once('close', giveBack);
    }
    const now = () => services.clock.now();
    const identity = { id: createId('resp_'), createdAtMs: now() };
    const recorded = { ...requester, replyId: identity.id };
    const saving = { responses: services.responses, logger: request.log };
    const save = (body: JsonObject) =>
      saveResponse(
        saving,
        { userId: requester.userId, request: params, history, createdAtMs: identity.createdAtMs },
        body,
      );
    if (params.body.stream) {
      const opening = services.generation.stream(recorded, chatRequest, signal);
      await sendStream(opening, createEventDialect(params, identity, { now, save }), { request, reply }, services);
      return reply;
    }
    const print = createResponsePrinter(params, identity);
    const printWhole = (completion: ChatCompletion) => printCompletion(completion, params, { print, nowMs: now() });
    if (params.body.background) {
      requireStorable(history.newItems);
      // The limits of the request are not reported: its answer is sent before they are reserved.
      const unreported = { ...recorded, onAdmitted: undefined };
      return background.begin({
        id: identity.id,
        requester: unreported,
        inputItems: history.newItems,
        print,
        hold: getHold(request),
        generate: (jobSignal) => services.generation.complete(unreported, chatRequest, jobSignal),
        save: async (completion) => (await save(printWhole(completion)))['store'] === true,
        logger: request.log,
      });
    }
    const completion = await services.generation.complete(recorded, chatRequest, signal);
    getRecord(request).markAnswered(completion.outcome);
    const printed = await printJson(await save(printWhole(completion)));
    return reply.type('application/json; charset=utf-8').send(printed);
  });

  addInputTokens(server, services);
  addStoredResponses(server, services, background);
}

function printCompletion(
  { choices: [choice], outcome }: ChatCompletion,
  params: ResponseRequest,
  { print, nowMs }: { readonly print: PrintResponse; readonly nowMs: number },
): JsonObject {
  const output = createOutputBuilder(params);
  for (const part of choice ? listParts(choice, 0) : []) output.add(part);
  const status = toStatus(choice?.finishReason);
  output.close(status);
  return print({ status, output: output.print(), outcome, completedAtMs: nowMs });
}
