import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { PageRequest } from '../../../core/management/index.ts';
import {
  type Catalogue,
  MODEL_TYPES,
  type ModelEntry,
  type ModelPrice,
  type PriceSource,
} from '../../../core/models/index.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { pageSchema, pageShape, sendPage } from '../../resources/paged-list.ts';
import { flagSchema, readQuery, textSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const MAX_NAME_LENGTH = 500;

const amount = z.number().nullable();
const rateShape = { input: amount, output: amount, cached_input: amount, cache_write: amount };
const priceSchema = z
  .strictObject({
    ...rateShape,
    cache_write_hour: amount.describe('Prompt tokens that are cached for an hour.'),
    reasoning: amount,
    audio_input: amount,
    audio_output: amount,
    image_input: amount,
    image_output: amount,
    long_prompt: z
      .array(z.strictObject({ above: z.int(), ...rateShape }))
      .describe('Prices of requests whose prompt has more tokens than `above`.'),
    request: amount.describe('One request, beside its tokens.'),
    image: amount,
    audio_minute: amount,
    characters: amount,
  })
  .nullable()
  .describe('US dollars: per million tokens or characters, per image, per minute. null: unknown.');
const sourceSchema = z
  .strictObject({
    kind: z
      .enum(['providers-file', 'provider', 'list', 'free'])
      .describe(
        "`provider`: the provider's list of models. `list`: the price list of the service. `free`: your own host.",
      ),
    date: z.string().nullable().describe('Day on which the `list` was made; null for the others.'),
  })
  .nullable()
  .describe('Where the price comes from; null if it is unknown.');
const modelSchema = z
  .strictObject({
    id: z.string(),
    type: z.enum(MODEL_TYPES),
    owned_by: z.string(),
    targets: z
      .array(
        z.strictObject({ provider: z.string(), model: z.string(), price: priceSchema, price_source: sourceSchema }),
      )
      .describe('The providers that serve the model, in the order of preference.'),
  })
  .meta({ id: 'ManagedModel' });

/** A model with its prices. */
export type ManagedModel = z.infer<typeof modelSchema>;

const querySchema = z.strictObject({
  ...pageShape,
  provider: textSchema(MAX_NAME_LENGTH).optional().describe('Only models of this provider.'),
  search: textSchema(MAX_NAME_LENGTH).optional().describe('Only models with this text in their name, in any case.'),
  type: z.enum(MODEL_TYPES).optional().describe('Only models of this type.'),
  priced: flagSchema
    .optional()
    .describe('`false`: only models for which a price is not known at one of the providers.'),
});
const LIST = documentRoute({
  summary: 'List models with prices',
  querystring: querySchema,
  answer: ['Models by name.', pageSchema(modelSchema)],
  errors: [400],
});

/** Adds `GET /api/models`. */
export function addModelPrices(server: FastifyInstance, { catalogue }: HttpServices): void {
  server.get('/api/models', { schema: LIST }, (request) => {
    const { provider, type, priced, search = '', ...page } = readQuery(querySchema, request);
    const read = async ({ limit, after }: PageRequest) => {
      const entries = catalogue
        .list()
        .filter(({ targets }) => provider === undefined || targets.some((target) => target.provider === provider))
        .filter((entry) => type === undefined || entry.type === type)
        .filter(({ targets }) => priced === undefined || targets.every(hasPrice(catalogue)) === priced)
        .filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()))
        .filter(({ id }) => after === undefined || id > String(after[0]))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      const items = entries.slice(0, limit);
      return { items, next: entries.length > limit ? [items.at(-1)?.id ?? ''] : undefined };
    };
    const keySchema = z.tuple([z.string()]);
    return sendPage(request, page, { keySchema, read }, (entry: ModelEntry) => toModel(catalogue, entry));
  });
}

const hasPrice = (catalogue: Catalogue) => (target: ModelEntry['targets'][number]) =>
  catalogue.findPrice(target) !== undefined;

function toModel(catalogue: Catalogue, { id, type, ownedBy, targets }: ModelEntry): ManagedModel {
  return {
    id,
    type,
    owned_by: ownedBy,
    targets: targets.map((target) => ({
      provider: target.provider,
      model: target.model,
      price: toPrice(catalogue.findPrice(target)),
      price_source: toSource(catalogue.findPriceSource(target)),
    })),
  };
}

function toPrice(price: ModelPrice | undefined): z.infer<typeof priceSchema> {
  if (!price) return null;
  return {
    ...toRates(price),
    cache_write_hour: price.cacheWriteHour ?? null,
    reasoning: price.reasoning ?? null,
    audio_input: price.audioInput ?? null,
    audio_output: price.audioOutput ?? null,
    image_input: price.imageInput ?? null,
    image_output: price.imageOutput ?? null,
    long_prompt: (price.longPrompt ?? []).map(({ above, ...rates }) => ({ above, ...toRates(rates) })),
    request: price.request ?? null,
    image: price.image ?? null,
    audio_minute: price.audioMinute ?? null,
    characters: price.characters ?? null,
  };
}

function toRates({ input, output, cachedInput, cacheWrite }: ModelPrice) {
  return {
    input: input ?? null,
    output: output ?? null,
    cached_input: cachedInput ?? null,
    cache_write: cacheWrite ?? null,
  };
}

function toSource(source: PriceSource | undefined): z.infer<typeof sourceSchema> {
  return source ? { kind: source.kind, date: source.kind === 'list' ? source.date : null } : null;
}
