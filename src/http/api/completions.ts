import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { printJson } from '../../lib/json/large-json.ts';
import { unixSecondsSchema } from '../../protocols/fields/field-schemas.ts';
import { printTokenCounts } from '../../protocols/openai-chat/print-answer.ts';
import { createTextChunkDialect, printCompletion } from '../../protocols/openai-media/completions-answer.ts';
import { completionsSchema, toTextCompletionRequest } from '../../protocols/openai-media/completions-request.ts';
import { printNative } from '../../protocols/stream/native-answer.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { getRecord } from '../server/request-log.ts';
import type { HttpServices } from '../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';
import { sendStream } from './streams/send-stream.ts';

const answerSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('text_completion'),
    created: unixSecondsSchema,
    model: z.string().describe('The model that answered.'),
    choices: z
      .array(z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullable() }))
      .min(1)
      .describe('The choices of the first prompt, then those of the second, and so on.'),
  })
  .meta({ id: 'TextCompletion', description: "The provider's completion, unchanged." });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Text completion (legacy)',
  description:
    "OpenAI's legacy protocol, for editors and base models. Only hosts that have it can answer; the request and the answer are passed on unchanged.",
  security: [{ 'api-key': [] }],
  body: completionsSchema.meta({ examples: [{ model: 'demo', prompt: 'Once upon a time' }] }),
  response: {
    200: describeResponse('The completion, or with `stream` its chunks.', {
      'application/json': answerSchema,
      'text/event-stream': '`data: {text_completion}`, one after the other, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/completions`, OpenAI's legacy completions. */
export function addCompletions(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/completions', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const body = await parseJsonBody(request.body);
    const params = toTextCompletionRequest(body);
    if (body['stream'] === true) {
      const opening = services.completions.stream(requester, params, signal);
      await sendStream(opening, createTextChunkDialect(params, services.clock.now()), { request, reply }, services);
      return reply;
    }
    const completion = await services.completions.complete(requester, params, signal);
    const { native, outcome } = completion;
    getRecord(request).markAnswered(outcome);
    const printed = native
      ? await printNative(native, () => printTokenCounts(outcome))
      : await printJson(printCompletion(completion, services.clock.now()));
    return reply.type('application/json; charset=utf-8').send(printed);
  });
}
