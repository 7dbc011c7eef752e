import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ProviderOverview } from '../../../core/management/index.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { timeFieldSchema } from '../../resources/fields.ts';
import { hideSecrets } from '../../resources/hide-secrets.ts';
import { emptyQuerySchema, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const circuitSchema = z.strictObject({
  model: z.string().nullable().describe('Model of the provider; null: the circuit breaker of the whole provider.'),
  state: z.enum(['closed', 'open', 'half-open']),
  failures: z.int().describe('Consecutive failures.'),
  open_until: timeFieldSchema.nullable(),
});
const providerSchema = z
  .strictObject({
    name: z.string(),
    models: z.int().describe('Number of models in its list.'),
    list: z.strictObject({
      source: z.enum(['host', 'cache']).nullable().describe('Origin of the list of models; null: none yet.'),
      fetched_at: timeFieldSchema.nullable(),
      error: z.string().nullable().describe('Why the last request for the list failed.'),
    }),
    circuits: z.array(circuitSchema).describe('Circuit breakers with failures, of this process.'),
    median_ms: z.int().nullable().describe('Median duration of its answers in the last hour.'),
  })
  .meta({ id: 'Provider' });

/** A provider without its keys and addresses. */
export type Provider = z.infer<typeof providerSchema>;

const LIST = documentRoute({
  summary: 'List providers',
  description: 'The configured providers in the order of preference, without keys and addresses.',
  querystring: emptyQuerySchema,
  answer: ['Providers.', z.strictObject({ data: z.array(providerSchema) })],
  errors: [400],
});

/** Adds `GET /api/providers`. */
export function addProviders(server: FastifyInstance, { management }: HttpServices): void {
  server.get('/api/providers', { schema: LIST }, async (request) => {
    readQuery(emptyQuerySchema, request);
    return { data: (await management.listProviders()).map(toProvider) };
  });
}

function toProvider(provider: ProviderOverview): Provider {
  return {
    name: provider.name,
    models: provider.modelCount,
    list: {
      source: provider.source ?? null,
      fetched_at: toOptionalTime(provider.fetchedAt),
      error: provider.lastError === undefined ? null : hideSecrets(provider.lastError),
    },
    circuits: provider.circuits.map(({ model, state, failures, opensUntil }) => ({
      model: model ?? null,
      state,
      failures,
      open_until: toOptionalTime(opensUntil),
    })),
    median_ms: provider.medianMs ?? null,
  };
}

function toOptionalTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
