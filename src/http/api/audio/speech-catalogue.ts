import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeResponse } from '../../server/openapi.ts';
import { REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';

/** Voices of OpenAI's API, which most providers know by these names. https://platform.openai.com/docs/guides/text-to-speech */
const VOICES = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');

const entrySchema = z.strictObject({ id: z.string(), name: z.string() });
const COMMON = { tags: ['OpenAI'], security: [{ 'api-key': [] }] };
const MODELS = {
  ...COMMON,
  summary: 'List speech models',
  description: 'The models of type `speech`, in the form that Open WebUI asks for.',
  response: {
    200: describeResponse('The models that the key may use.', z.strictObject({ models: z.array(entrySchema) })),
    401: REFUSALS[401],
  },
};
const VOICE_LIST = {
  ...COMMON,
  summary: 'List voices',
  description:
    "OpenAI's voices, in the form that Open WebUI asks for. Providers do not list theirs; `voice` of `/audio/speech` accepts any name.",
  response: {
    200: describeResponse(
      'The voices; none if there is no speech model.',
      z.strictObject({ voices: z.array(entrySchema) }),
    ),
    401: REFUSALS[401],
  },
};

/** Adds `GET /ai/openai/audio/models` and `GET /ai/openai/audio/voices`. */
export function addSpeechCatalogue(server: FastifyInstance): void {
  server.get('/ai/openai/audio/models', { schema: MODELS }, (request) => {
    const models = getRequestContext(request)
      .catalogue.list()
      .filter(({ type }) => type === 'speech');
    return { models: models.map(({ id, displayName = id }) => ({ id, name: displayName })) };
  });
  server.get('/ai/openai/audio/voices', { schema: VOICE_LIST }, (request) => {
    const speaks = getRequestContext(request)
      .catalogue.list()
      .some(({ type }) => type === 'speech');
    return { voices: speaks ? VOICES.map((id) => ({ id, name: id })) : [] };
  });
}
