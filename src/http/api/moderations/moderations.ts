import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Catalogue, ModerationInput, Moderations } from '../../../core/models/index.ts';
import { createId } from '../../../lib/ids.ts';
import { noDefaultModel } from '../../../protocols/http-error.ts';
import { moderationsSchema, toModerationRequest } from '../../../protocols/openai-media/moderations-request.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';

const answerSchema = z
  .looseObject({
    id: z.string(),
    model: z.string().describe('The model that answered.'),
    results: z.array(
      z.looseObject({
        flagged: z.boolean().describe('Whether any category applies.'),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()).describe('Confidence from 0 to 1.'),
        category_applied_input_types: z
          .record(z.string(), z.array(z.string()))
          .optional()
          .describe('`text` or `image`, for each category. Missing where the provider leaves it out.'),
      }),
    ),
  })
  .meta({ id: 'Moderations' });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Moderate content',
  description: "OpenAI's protocol. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: moderationsSchema.meta({ examples: [{ model: 'demo-moderation', input: 'I like foxes.' }] }),
  response: {
    200: describeResponse('One result for each input.', answerSchema),
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
      .send(made.native ?? JSON.stringify(print(made, params.inputs)));
  });
}

function findDefaultModel(catalogue: Catalogue): string | undefined {
  return catalogue.list().find(({ type }) => type === 'moderation')?.id;
}

function print(
  { id, model, reportedModel, results }: Moderations,
  inputs: readonly ModerationInput[],
): z.infer<typeof answerSchema> {
  return {
    id: id ?? createId('modr-'),
    model: reportedModel ?? model,
    results: results.map(({ flagged, categories, scores }, index) => ({
      flagged,
      categories,
      category_scores: scores,
      category_applied_input_types: toAppliedTypes(categories, inputs[index]),
    })),
  };
}

/** Returns the types of an input for each category: hosts judge all of it by every category. */
function toAppliedTypes(categories: Readonly<Record<string, boolean>>, input: ModerationInput = '') {
  const types = typeof input === 'string' ? ['text'] : [...new Set(input.map(({ type }) => type))];
  return Object.fromEntries(Object.keys(categories).map((name) => [name, types]));
}
