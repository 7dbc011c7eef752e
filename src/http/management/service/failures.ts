import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { documentRoute } from '../../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../../resources/fields.ts';
import { hideSecrets } from '../../resources/hide-secrets.ts';
import { emptyQuerySchema, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const failureSchema = z
  .strictObject({
    model: z.string().describe("The provider's name of the model; the requested name if no provider was asked."),
    provider: z.string().nullable().describe('null: no provider was asked.'),
    outcome: z
      .string()
      .describe(
        'Kind of failure, as in the metrics: `timeout`, `unavailable`, `rate_limited`, `refused_key`, `no_credit`, `rejected`, `broken_off`, `unknown_model`, `over_limit`, `queue_full` or `failure`.',
      ),
    count: z.int(),
    last_at: timeFieldSchema,
  })
  .meta({ id: 'Failure' });

/** Failures of one kind. */
export type Failure = z.infer<typeof failureSchema>;

const LIST = documentRoute({
  summary: 'List failed requests',
  description:
    'How often requests of the process that answers failed, by model, provider and kind of failure: the 200 latest ones. A request that three providers fail is counted for each of them. They are kept in memory until the process ends.',
  querystring: emptyQuerySchema,
  answer: ['Counted failures, the latest ones first.', z.strictObject({ data: z.array(failureSchema) })],
  errors: [400],
});

/** Adds `GET /api/failures`. */
export function addFailures(server: FastifyInstance, { failures }: HttpServices): void {
  server.get('/api/failures', { schema: LIST }, async (request): Promise<{ readonly data: readonly Failure[] }> => {
    readQuery(emptyQuerySchema, request);
    const counted = failures?.list() ?? [];
    return {
      data: counted.map(({ model, provider = null, outcome, count, lastAt }) => ({
        model: hideSecrets(model),
        provider,
        outcome,
        count,
        last_at: toTime(lastAt),
      })),
    };
  });
}
