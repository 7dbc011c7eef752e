import type { FastifyInstance } from 'fastify';
import { type Catalogue, type ModelEntry, ModelNotFoundError } from '../../core/models/index.ts';
import type { JsonObject } from '../../lib/json.ts';

/** `GET /ai/openai/models` and `GET /ai/openai/models/<id>`: OpenAI's shapes with what else is known. Ids may hold slashes. */
export function addModels(server: FastifyInstance, catalogue: Catalogue): void {
  server.get('/ai/openai/models', () => ({ object: 'list', data: catalogue.list().map(toModelObject) }));
  server.get<{ Params: { '*': string } }>('/ai/openai/models/*', (request) => {
    const id = request.params['*'];
    const entry = catalogue.find(id);
    if (!entry) throw new ModelNotFoundError(id);
    return toModelObject(entry);
  });
}

/** OpenAI's model object; `context_length`, `pricing` (US dollars per token and picture) and modalities in the words of OpenRouter, where known. */
function toModelObject(entry: ModelEntry): JsonObject {
  return {
    id: entry.id,
    object: 'model',
    created: entry.created,
    owned_by: entry.ownedBy,
    type: entry.type,
    ...(entry.displayName === undefined ? {} : { name: entry.displayName }),
    ...(entry.contextLength === undefined ? {} : { context_length: entry.contextLength }),
    ...(entry.price === undefined
      ? {}
      : {
          pricing: {
            prompt: perToken(entry.price.input),
            completion: perToken(entry.price.output),
            ...(entry.price.picture === undefined ? {} : { image: toDecimal(entry.price.picture) }),
          },
        }),
    ...(entry.acceptsImages === undefined
      ? {}
      : { input_modalities: entry.acceptsImages ? ['text', 'image'] : ['text'] }),
    output_modalities: [entry.type === 'image' ? 'image' : 'text'],
  };
}

/** A decimal without exponent: `0.15` dollars per million is `"0.00000015"`. */
function perToken(dollarsPerMillion: number): string {
  return toDecimal(dollarsPerMillion / 1_000_000);
}

function toDecimal(dollars: number): string {
  return dollars.toFixed(15).replace(/\.?(?<!0)0+$/, '');
}
