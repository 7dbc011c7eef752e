import type { FastifyInstance } from 'fastify';
import type { Catalogue } from '../../core/models/index.ts';
import { noDefaultModel } from '../../protocols/http-error.ts';
import { moderationsAnswerSchema, printModerations } from '../../protocols/openai-media/moderations-answer.ts';
import { moderationsSchema, toModerationRequest } from '../../protocols/openai-media/moderations-request.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { getRecord } from '../server/request-log.ts';
import type { HttpServices } from '../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Moderate content',
  description: "OpenAI's protocol. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: moderationsSchema.meta({ examples: [{ model: 'demo-moderation', input: 'I like foxes.' }] }),
  response: {
    200: describeResponse('One result for each input.', moderationsAnswerSchema),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/moderations`. */
export function addModerations(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/moderations', { schema: SCHEMA }, async (request, reply) => {
    const { requester, catalogue, signal } = getRequestContext(request);
    const params = toModerationRequest(await parseJsonBody(request.body));
    const model = params.model ?? findDefaultModel(catalogue) ?? findDefaultModel(services.catalogue);
    if (model === undefined) throw noDefaultModel('No model here moderates content.');
    const made = await services.moderations.moderate(requester, { ...params, model }, signal);
    getRecord(request).markAnswered(made);
    return reply
      .type('application/json; charset=utf-8')
      .send(made.native ?? JSON.stringify(printModerations(made, params.inputs)));
  });
}

function findDefaultModel(catalogue: Catalogue): string | undefined {
  return catalogue.list().find(({ type }) => type === 'moderation')?.id;
}
