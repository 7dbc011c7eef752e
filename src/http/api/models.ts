import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  MODEL_TYPES,
  type ModelEntry,
  ModelNotFoundError,
  type ModelPrice,
  type ModelType,
} from '../../core/models/index.ts';
import { unixSecondsSchema } from '../../protocols/fields/field-schemas.ts';
import { describeResponse } from '../server/openapi.ts';
import { REFUSALS } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';

/** OpenAI's model object, with `context_length`, `pricing` and modalities as in OpenRouter's API where known. */
const modelSchema = z
  .strictObject({
    id: z.string().describe('Name for `model` in requests.'),
    object: z.literal('model'),
    created: unixSecondsSchema,
    owned_by: z.string(),
    type: z.enum(MODEL_TYPES),
    name: z.string().optional().describe('Display name.'),
    context_length: z.int().optional().describe('Maximum tokens of prompt and answer together.'),
    pricing: z
      .strictObject({
        prompt: z.string().optional(),
        completion: z.string().optional(),
        input_cache_read: z.string().optional(),
        input_cache_write: z.string().optional(),
        internal_reasoning: z.string().optional(),
        audio: z.string().optional().describe('Prompt tokens of audio.'),
        audio_output: z.string().optional(),
        image: z.string().optional().describe('One generated image.'),
        audio_minute: z.string().optional().describe('One minute of transcribed or spoken audio.'),
        character: z.string().optional().describe('One character that is read aloud.'),
      })
      .optional()
      .describe('US dollars, per token unless stated otherwise. Unknown prices are missing.'),
    input_modalities: z.array(z.string()).optional().describe('`file`: the model reads PDF files as they are.'),
    output_modalities: z.array(z.string()),
  })
  .meta({ id: 'Model' });
const modelListSchema = z
  .strictObject({ object: z.literal('list'), data: z.array(modelSchema) })
  .meta({ id: 'ModelList' });

const LIST = {
  tags: ['OpenAI'],
  summary: 'List models',
  security: [{ 'api-key': [] }],
  response: {
    200: describeResponse('The models that are available now and that the key may use.', modelListSchema),
    401: REFUSALS[401],
  },
};
const ONE = {
  tags: ['OpenAI'],
  summary: 'Get a model',
  security: [{ 'api-key': [] }],
  params: z.object({ id: z.string().describe('Name of the model; slashes are not encoded.') }),
  response: {
    200: describeResponse('The model.', modelSchema),
    401: REFUSALS[401],
    404: REFUSALS[404],
  },
};

/** Adds `GET /ai/openai/models` and `GET /ai/openai/models/<id>`. Ids may contain slashes. */
export function addModels(server: FastifyInstance): void {
  server.get('/ai/openai/models', { schema: LIST }, (request) => ({
    object: 'list',
    data: getRequestContext(request).catalogue.list().map(toModelObject),
  }));
  server.get<{ Params: { '*': string } }>('/ai/openai/models/*', { schema: ONE }, (request) => {
    const id = request.params['*'];
    const entry = getRequestContext(request).catalogue.find(id);
    if (!entry) throw new ModelNotFoundError(id);
    return toModelObject(entry);
  });
}

function toModelObject(entry: ModelEntry): z.infer<typeof modelSchema> {
  return {
    id: entry.id,
    object: 'model',
    created: entry.created,
    owned_by: entry.ownedBy,
    type: entry.type,
    ...(entry.displayName === undefined ? {} : { name: entry.displayName }),
    ...(entry.contextLength === undefined ? {} : { context_length: entry.contextLength }),
    ...(entry.price && { pricing: toPricing(entry.price) }),
    ...toInputModalities(entry),
    output_modalities: [OUTPUT_MODALITIES[entry.type]],
  };
}

const OUTPUT_MODALITIES: Readonly<Record<ModelType, string>> = {
  chat: 'text',
  image: 'image',
  embedding: 'embeddings',
  speech: 'audio',
  transcription: 'text',
  moderation: 'classification',
  rerank: 'rerank',
};

function toInputModalities({ type, acceptsImages, acceptsPdf }: ModelEntry): { readonly input_modalities?: string[] } {
  if (type === 'transcription') return { input_modalities: ['audio'] };
  if (type === 'speech') return { input_modalities: ['text'] };
  // A model that reads PDF files sees their pages.
  const hasImages = acceptsImages ?? acceptsPdf;
  if (hasImages === undefined) return {};
  return { input_modalities: ['text', ...(hasImages ? ['image'] : []), ...(acceptsPdf ? ['file'] : [])] };
}

function toPricing(price: ModelPrice): NonNullable<z.infer<typeof modelSchema>['pricing']> {
  const prices = {
    prompt: toUnitPrice(price.input),
    completion: toUnitPrice(price.output),
    input_cache_read: toUnitPrice(price.cachedInput),
    input_cache_write: toUnitPrice(price.cacheWrite),
    internal_reasoning: toUnitPrice(price.reasoning),
    audio: toUnitPrice(price.audioInput),
    audio_output: toUnitPrice(price.audioOutput),
    image: toDecimal(price.image),
    audio_minute: toDecimal(price.audioMinute),
    character: toUnitPrice(price.characters),
  };
  return Object.fromEntries(Object.entries(prices).filter(([, decimal]) => decimal !== undefined));
}

/** Returns the price of one as a decimal without exponent: `0.15` dollars per million is `"0.00000015"`. */
function toUnitPrice(dollarsPerMillion: number | undefined): string | undefined {
  return dollarsPerMillion === undefined ? undefined : toDecimal(dollarsPerMillion / 1_000_000);
}

function toDecimal(dollars: number | undefined): string | undefined {
  return dollars?.toFixed(15).replace(/\.?(?<!0)0+$/, '');
}
