import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { ProviderUnavailableError } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type HttpService, listRoutes, MODEL, startHttpService } from '../support/harness/http.ts';
import { ADMIN } from '../support/harness/http-users.ts';
import { sharePage } from '../support/harness/share-page.ts';
import { answerJson, hang } from '../support/hosts/fake-provider.ts';
import { createScriptedImages, drawNothing } from '../support/hosts/scripted-images.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { drawPng } from '../support/samples/media.ts';
import { createTestDatabase } from '../support/stores/test-database.ts';
import { createManagementScenarios } from './management-scenarios.ts';

const METRICS_TOKEN = 'a-token-for-prometheus';
const images = createScriptedImages('painter', [{ id: 'drawing', type: 'image' }]);

const database = await createTestDatabase();
const EMBEDDING_MODEL = 'fake-embedding';
const MODERATION_MODEL = 'fake-moderation';
const RERANK_MODEL = 'fake-rerank';
const TRANSCRIPTION_MODEL = 'fake-transcription';
const SPEECH_MODEL = 'fake-speech';
const otherModels = [
  { id: EMBEDDING_MODEL, type: 'embedding' },
  { id: MODERATION_MODEL, type: 'moderation' },
  { id: RERANK_MODEL, type: 'rerank' },
  { id: TRANSCRIPTION_MODEL, type: 'transcription' },
  { id: SPEECH_MODEL, type: 'speech' },
] as const;
const demo = createDemoProvider({ clock: systemClock });
const shared = { database, imageProviders: [images.provider, demo], otherModels, adminIds: [ADMIN] };
/** The service with its usual settings. */
const usual = await startHttpService({
  ...shared,
  metrics: { token: METRICS_TOKEN, contentType: 'text/plain; version=0.0.4', read: async () => 'up 1\n' },
});
/** A key that may use no model of `usual`. */
const uselessKey = await createUselessKey();
/** The service with small limits of files and keys, whose admin has sent all requests of this minute. */
const strict = await startHttpService({
  ...shared,
  clock: createFakeClock(),
  storageOptions: { maxFileBytes: 1000, maxBytesPerDay: 1500 },
  plans: { universal: { key: { requestsPerMinute: 0, tokensPerDay: 0, imagesPerDay: 0 } } },
  isReady: async () => ({ isReady: false, checks: { database: true, bot: false } }),
});
/** The service whose operator wants no uploads. */
const closed = await startHttpService({ ...shared, uploads: 'off' });
/** The private service. */
const members = await startHttpService({ ...shared, allowedIds: [5], findBotUsername: async () => 'test_bot' });
const NONE = { maxOpen: 0, maxPerClient: 0 };
const NONE_EACH = { maxOpen: 1000, maxPerClient: 0 };
/** The service that accepts nothing: its disk is full as well. */
const busy = await startHttpService({
  ...shared,
  inFlight: { generation: NONE, management: NONE, download: NONE_EACH, page: NONE_EACH },
  readSpace: () => ({ freeBytes: 1000, totalBytes: 1_000_000 }),
});
afterAll(async () => {
  await Promise.all([usual, strict, busy, closed, members].map((service) => service.close()));
  await database.close();
});

type JsonSchema = z.core.JSONSchema.JSONSchema;
type Content = Readonly<Record<string, { schema: JsonSchema; example?: object }>>;
interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

/** The document as it is served. */
const text = await (await fetch(`${usual.url}/openapi.json`)).text();
const document: {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
} = JSON.parse(text);
const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
);

const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
const RESPONSE = { model: MODEL, input: 'Hi' };
const MESSAGE = { ...CHAT, max_tokens: 100 };
const NATIVE = { model: MODEL, request: { messages: CHAT.messages } };
const PICTURE = { model: 'drawing', prompt: 'a lighthouse' };
const EDIT = {
  ...PICTURE,
  images: [{ image_url: `data:image/png;base64,${drawPng(8, 8).toString('base64')}` }],
};
const EMBEDDING = { model: EMBEDDING_MODEL, input: 'Hi' };
const COMPLETION = { model: MODEL, prompt: 'Hi' };
const MODERATION = { model: MODERATION_MODEL, input: 'Hi' };
const RERANK = { model: RERANK_MODEL, query: 'Hi', documents: ['Hello.'] };
const RANKING = { results: [{ index: 0, relevance_score: 0.9 }] };
const SPEECH = { model: 'demo-speech', input: 'Hi' };
const FAKE_SPEECH = { ...SPEECH, model: SPEECH_MODEL };
const RECORDING = { model: TRANSCRIPTION_MODEL };
const BROKEN = answerJson(500, {});

type Scenario = () => Promise<Response>;

/** Errors of every route that takes JSON below `/ai`. */
function refusalsOf(path: string, body: object): Readonly<Record<string, Scenario>> {
  const route = `post ${path}`;
  return {
    [`${route} 400`]: () => usual.post(path, { model: 3 }),
    [`${route} 401`]: () => usual.post(path, body, { headers: { authorization: 'Bearer wrong' } }),
    ...(path === '/ai/feedback' ? {} : { [`${route} 403`]: () => usual.post(path, body, withUselessKey()) }),
    [`${route} 404`]: () => usual.post(path, { ...body, model: 'nobodys' }),
    [`${route} 409`]: async () => {
      const init = { headers: { 'idempotency-key': `of ${path}`.replaceAll(' ', '-') } };
      expect((await usual.post(path, body, init)).status).toBe(200);
      return usual.post(path, { ...body, more: 1 }, init);
    },
    [`${route} 413`]: () => strict.post(path, { ...body, more: 'x'.repeat(21 * 2 ** 20) }),
    [`${route} 415`]: () => usual.post(path, body, { headers: { 'content-type': 'text/plain' } }),
    [`${route} 503`]: () => busy.post(path, body),
  };
}

async function createUselessKey(): Promise<string> {
  const { id } = await usual.accounts.ensureTelegramUser(1);
  const made = await usual.apiKeys.create(id, 'useless', { allowedModels: ['nothing'] });
  return made?.secret ?? '';
}

function withUselessKey() {
  return { headers: { authorization: `Bearer ${uselessKey}` } };
}

/** Sends a form with a recording. */
function postRecording(
  path: string,
  fields: object = RECORDING,
  { service = usual, sizeBytes = 10, headers = {} }: RecordingOptions = {},
): Promise<Response> {
  const recording = new FormData();
  for (const [name, value] of Object.entries(fields)) recording.append(name, String(value));
  recording.append('file', new Blob([new Uint8Array(sizeBytes)], { type: 'audio/wav' }), 'voice.wav');
  const authorization = `Bearer ${service.apiKey}`;
  return fetch(service.url + path, { method: 'POST', body: recording, headers: { authorization, ...headers } });
}

interface RecordingOptions {
  readonly service?: HttpService;
  readonly sizeBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers of a route that takes recordings. */
function recordingsOf(path: string): Readonly<Record<string, Scenario>> {
  const route = `post ${path}`;
  const answered = (text: object, fields: object = RECORDING, options: RecordingOptions = {}) => {
    usual.provider.behaveElsewhere(answerJson(200, text));
    return postRecording(path, fields, options);
  };
  return {
    [`${route} 200`]: () => answered({ text: 'Hello' }),
    [`${route} 400`]: () => postRecording(path, {}),
    [`${route} 401`]: () => postRecording(path, RECORDING, { headers: { authorization: 'Bearer wrong' } }),
    [`${route} 403`]: () => postRecording(path, RECORDING, withUselessKey()),
    [`${route} 404`]: () => postRecording(path, { model: 'nobodys' }),
    [`${route} 409`]: async () => {
      const headers = { 'idempotency-key': `of-${path}` };
      expect((await answered({ text: 'Hello' }, RECORDING, { headers })).status).toBe(200);
      return postRecording(path, RECORDING, { headers, sizeBytes: 11 });
    },
    [`${route} 413`]: () => postRecording(path, RECORDING, { sizeBytes: 26 * 1024 * 1024 }),
    [`${route} 415`]: () => usual.post(path, RECORDING),
    [`${route} 429`]: () => postRecording(path, RECORDING, { service: strict }),
    [`${route} 502`]: () => {
      usual.provider.behaveElsewhere(BROKEN);
      return postRecording(path);
    },
    [`${route} 503`]: () => postRecording(path, RECORDING, { service: busy }),
    [`${route} 504`]: () => askInVain((service) => postRecording(path, RECORDING, { service })),
  };
}

const put = (service: HttpService, body: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/upload/note.txt`, { method: 'PUT', body, headers });
const form = (service: HttpService, bytes: string, headers: Record<string, string> = {}) => {
  const fields = new FormData();
  fields.set('file', new Blob([bytes]), 'note.txt');
  return fetch(`${service.url}/upload`, { method: 'POST', body: fields, headers });
};
/** Sends a request to the address of a file that was just uploaded. */
const at = async (suffix: string, init: RequestInit = {}, wishes: Record<string, string> = {}) => {
  const { id } = (await (await put(usual, 'twelve bytes', wishes)).json()) as { id: string };
  return fetch(`${usual.url}/file/${id}${suffix}`, init);
};
const withPassword = { 'x-password': 'secret' };
const remove = async (method: 'DELETE' | 'GET', authorization?: string) => {
  const { id, owner } = (await (await put(usual, 'twelve bytes')).json()) as { id: string; owner: string };
  const key = authorization ?? owner;
  const path = method === 'GET' ? `/delete/${id}` : `/file/${id}`;
  return fetch(`${usual.url}${path}`, { method, headers: key === '' ? {} : { authorization: key } });
};
const missing = (path: string, init: RequestInit = {}) => fetch(`${usual.url}${path}`, init);
const NOBODY = 'A'.repeat(22);
const passwordForm = (password: string): RequestInit => ({ method: 'POST', body: new URLSearchParams({ password }) });
const guessTooOften = async () => {
  const { id } = (await (await put(usual, 'x', withPassword)).json()) as { id: string };
  for (let tries = 0; tries < 50; tries += 1) {
    const answer = await fetch(`${usual.url}/file/${id}`, passwordForm('wrong'));
    if (answer.status === 429) return answer;
  }
  throw new Error('one may guess for ever');
};
const afterFull = async (upload: Scenario) => {
  await put(strict, 'x'.repeat(900));
  return upload();
};
const atShared = async (suffix: string, init: RequestInit = {}) =>
  fetch(`${(await sharePage(usual, [{ role: 'user', content: 'Hello' }])).url}${suffix}`, init);
const unshare = async (authorization?: string) => {
  const { url, ownerKey } = await sharePage(usual, [{ role: 'user', content: 'Hello' }]);
  const key = authorization ?? ownerKey;
  return fetch(url, { method: 'DELETE', headers: key === '' ? {} : { authorization: key } });
};
const forms = ['', '/conversation.md', '/conversation.json'].flatMap((suffix): [string, Scenario][] => [
  [`get /share/{id}${suffix} 200`, () => atShared(suffix)],
  [`get /share/{id}${suffix} 304`, () => atShared(suffix, { headers: { 'if-none-match': '*' } })],
  [`get /share/{id}${suffix} 404`, () => missing(`/share/${NOBODY}${suffix}`)],
  [`get /share/{id}${suffix} 412`, () => atShared(suffix, { headers: { 'if-match': '"another"' } })],
]);
const metrics = (token: string) => usual.get('/metrics', { headers: { authorization: `Bearer ${token}` } });

/** The routes of stored responses. */
function storedResponses(): Record<string, Scenario> {
  const make = async (fields: JsonObject = {}) => {
    const answer = await usual.post('/ai/openai/responses', { ...RESPONSE, ...fields });
    return `/ai/openai/responses/${String(((await answer.json()) as JsonObject)['id'])}`;
  };
  const unknown = '/ai/openai/responses/resp_unknown';
  const anonymous = { headers: { authorization: '' } };
  return {
    'get /ai/openai/responses/{id} 200': async () => usual.get(await make()),
    'get /ai/openai/responses/{id} 400': () => usual.get(`${unknown}?stream=true`),
    'get /ai/openai/responses/{id} 401': () => usual.get(unknown, anonymous),
    'get /ai/openai/responses/{id} 404': () => usual.get(unknown),
    'delete /ai/openai/responses/{id} 200': async () => usual.get(await make(), { method: 'DELETE' }),
    'delete /ai/openai/responses/{id} 401': () => usual.get(unknown, { method: 'DELETE', ...anonymous }),
    'delete /ai/openai/responses/{id} 404': () => usual.get(unknown, { method: 'DELETE' }),
    'get /ai/openai/responses/{id}/input_items 200': async () => usual.get(`${await make()}/input_items`),
    'get /ai/openai/responses/{id}/input_items 400': async () => usual.get(`${await make()}/input_items?limit=none`),
    'get /ai/openai/responses/{id}/input_items 401': () => usual.get(`${unknown}/input_items`, anonymous),
    'get /ai/openai/responses/{id}/input_items 404': () => usual.get(`${unknown}/input_items`),
    'post /ai/openai/responses/{id}/cancel 200': async () =>
      usual.post(`${await make({ background: true })}/cancel`, {}),
    'post /ai/openai/responses/{id}/cancel 400': async () => usual.post(`${await make()}/cancel`, {}),
    'post /ai/openai/responses/{id}/cancel 401': () => usual.post(`${unknown}/cancel`, {}, anonymous),
    'post /ai/openai/responses/{id}/cancel 404': () => usual.post(`${unknown}/cancel`, {}),
    'post /ai/openai/responses/{id}/cancel 409': async () => {
      const init = { headers: { 'idempotency-key': 'cancelled-once' } };
      const path = `${await make({ background: true })}/cancel`;
      expect((await usual.post(path, {}, init)).status).toBe(200);
      return usual.post(path, { more: 1 }, init);
    },
  };
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...(await createManagementScenarios({ usual, strict, busy, members })),
  ...refusalsOf('/ai/openai/chat/completions', CHAT),
  'post /ai/openai/chat/completions 200': () => usual.post('/ai/openai/chat/completions', CHAT),
  'post /ai/openai/chat/completions 429': () => strict.post('/ai/openai/chat/completions', CHAT),
  'post /ai/openai/chat/completions 502': () => {
    usual.provider.behave(BROKEN);
    return usual.post('/ai/openai/chat/completions', CHAT);
  },
  ...refusalsOf('/ai/openai/responses', RESPONSE),
  'post /ai/openai/responses 200': () => usual.post('/ai/openai/responses', RESPONSE),
  'post /ai/openai/responses 429': () => strict.post('/ai/openai/responses', RESPONSE),
  'post /ai/openai/responses 502': () => {
    usual.provider.behave(BROKEN);
    return usual.post('/ai/openai/responses', RESPONSE);
  },
  ...refusalsOf('/ai/anthropic/messages', MESSAGE),
  'post /ai/anthropic/messages 200': () => usual.post('/ai/anthropic/messages', MESSAGE),
  'post /ai/anthropic/messages 429': () => strict.post('/ai/anthropic/messages', MESSAGE),
  'post /ai/anthropic/messages 502': () => {
    usual.provider.behave(BROKEN);
    return usual.post('/ai/anthropic/messages', MESSAGE);
  },
  ...refusalsOf('/ai/anthropic/messages/count_tokens', CHAT),
  'post /ai/anthropic/messages/count_tokens 200': () => usual.post('/ai/anthropic/messages/count_tokens', CHAT),
  'get /ai/anthropic/models 200': () => usual.get('/ai/anthropic/models'),
  'get /ai/anthropic/models 400': () => usual.get('/ai/anthropic/models?limit=0'),
  'get /ai/anthropic/models 401': () => missing('/ai/anthropic/models'),
  'get /ai/anthropic/models/{id} 200': () => usual.get(`/ai/anthropic/models/${MODEL}`),
  'get /ai/anthropic/models/{id} 401': () => missing(`/ai/anthropic/models/${MODEL}`),
  'get /ai/anthropic/models/{id} 404': () => usual.get('/ai/anthropic/models/nobodys'),
  ...refusalsOf('/ai/openai/images/generations', PICTURE),
  'post /ai/openai/images/generations 200': () => usual.post('/ai/openai/images/generations', PICTURE),
  'post /ai/openai/images/generations 429': () => strict.post('/ai/openai/images/generations', PICTURE),
  'post /ai/openai/images/generations 502': () => failToDraw('/ai/openai/images/generations'),
  ...refusalsOf('/ai/openai/images/edits', EDIT),
  'post /ai/openai/images/edits 200': () => usual.post('/ai/openai/images/edits', EDIT),
  'post /ai/openai/images/edits 429': () => strict.post('/ai/openai/images/edits', EDIT),
  'post /ai/openai/images/edits 502': () => failToDraw('/ai/openai/images/edits', EDIT),
  ...refusalsOf('/ai/openai/embeddings', EMBEDDING),
  'post /ai/openai/embeddings 200': () => {
    const vector = { object: 'embedding', index: 0, embedding: [1] };
    const counts = { prompt_tokens: 1, total_tokens: 1 };
    return postElsewhere('/ai/openai/embeddings', EMBEDDING, {
      object: 'list',
      data: [vector],
      model: 'm',
      usage: counts,
    });
  },
  ...refusalsOf('/ai/openai/completions', COMPLETION),
  'post /ai/openai/completions 200': () => {
    const choice = { index: 0, text: 'Hello', finish_reason: 'stop' };
    const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' };
    return postElsewhere('/ai/openai/completions', COMPLETION, { ...head, choices: [choice] });
  },
  'post /ai/openai/completions 429': () => strict.post('/ai/openai/completions', COMPLETION),
  'post /ai/openai/completions 502': () => failElsewhere('/ai/openai/completions', COMPLETION),
  ...refusalsOf('/ai/openai/moderations', MODERATION),
  'post /ai/openai/moderations 200': () => {
    const result = { flagged: false, categories: { violence: false }, category_scores: { violence: 0.1 } };
    return postElsewhere('/ai/openai/moderations', MODERATION, { id: 'modr-1', model: 'm', results: [result] });
  },
  'post /ai/openai/moderations 429': () => strict.post('/ai/openai/moderations', MODERATION),
  'post /ai/openai/moderations 502': () => failElsewhere('/ai/openai/moderations', MODERATION),
  ...refusalsOf('/ai/openai/rerank', RERANK),
  'post /ai/openai/rerank 200': () => postElsewhere('/ai/openai/rerank', RERANK, RANKING),
  'post /ai/openai/rerank 429': () => strict.post('/ai/openai/rerank', RERANK),
  'post /ai/openai/rerank 502': () => failElsewhere('/ai/openai/rerank', RERANK),
  'post /ai/openai/embeddings 429': () => strict.post('/ai/openai/embeddings', EMBEDDING),
  'post /ai/openai/embeddings 502': () => failElsewhere('/ai/openai/embeddings', EMBEDDING),
  ...refusalsOf('/ai/openai/audio/speech', SPEECH),
  'post /ai/openai/audio/speech 200': () => usual.post('/ai/openai/audio/speech', SPEECH),
  'post /ai/openai/audio/speech 429': () => strict.post('/ai/openai/audio/speech', SPEECH),
  'post /ai/openai/audio/speech 502': () => failElsewhere('/ai/openai/audio/speech', FAKE_SPEECH),
  ...recordingsOf('/ai/openai/audio/transcriptions'),
  ...recordingsOf('/ai/openai/audio/translations'),
  ...refusalsOf('/ai/openai/responses/input_tokens', RESPONSE),
  'post /ai/openai/responses/input_tokens 200': () => usual.post('/ai/openai/responses/input_tokens', RESPONSE),
  'post /ai/openai/responses/input_tokens 429': () => strict.post('/ai/openai/responses/input_tokens', RESPONSE),
  'get /ai/openai/audio/models 200': () => usual.get('/ai/openai/audio/models'),
  'get /ai/openai/audio/models 401': () => missing('/ai/openai/audio/models'),
  'get /ai/openai/audio/voices 200': () => usual.get('/ai/openai/audio/voices'),
  'get /ai/openai/audio/voices 401': () => missing('/ai/openai/audio/voices'),
  'get /ai/openai/models 200': () => usual.get('/ai/openai/models'),
  'get /ai/openai/models 401': () => missing('/ai/openai/models'),
  'get /ai/openai/models/{id} 200': () => usual.get(`/ai/openai/models/${MODEL}`),
  'get /ai/openai/models/{id} 401': () => missing(`/ai/openai/models/${MODEL}`),
  'get /ai/openai/models/{id} 404': () => usual.get('/ai/openai/models/nobodys'),
  ...refusalsOf('/ai/v2', NATIVE),
  'post /ai/v2 200': () => usual.post('/ai/v2', NATIVE),
  'post /ai/v2 429': () => strict.post('/ai/v2', NATIVE),
  ...refusalsOf('/ai/imagen', PICTURE),
  'post /ai/imagen 200': () => usual.post('/ai/imagen', PICTURE),
  'post /ai/imagen 429': () => strict.post('/ai/imagen', PICTURE),
  'post /ai/imagen 502': () => failToDraw('/ai/imagen'),
  ...refusalsOf('/ai/feedback', { id: 'nobodys', rating: 'up', model: '' }),
  'post /ai/feedback 409': async () => {
    const init = { headers: { 'idempotency-key': 'of-feedback' } };
    const id = await beAnswered();
    await usual.post('/ai/feedback', { id, rating: 'up' }, init);
    return usual.post('/ai/feedback', { id, rating: 'down' }, init);
  },
  'post /ai/feedback 200': async () => usual.post('/ai/feedback', { id: await beAnswered(), rating: 'down' }),

  'post /upload 200': () => form(usual, 'twelve bytes'),
  'post /upload 400': () => form(usual, 'x', { 'x-expires-in': 'soon' }),
  'post /upload 401': () => form(usual, 'x', { authorization: 'Bearer wrong' }),
  'post /upload 403': () => form(closed, 'twelve bytes'),
  'post /upload 413': () => form(strict, 'x'.repeat(1200)),
  'post /upload 415': () => fetch(`${usual.url}/upload`, { method: 'POST', body: 'no form' }),
  'post /upload 507': () => form(busy, 'twelve bytes'),
  'post /upload 429': () => afterFull(() => form(strict, 'x'.repeat(900))),
  'put /upload 400': () => fetch(`${usual.url}/upload`, { method: 'PUT', body: 'x' }),
  'put /upload/{name} 200': () => put(usual, 'twelve bytes', { 'x-expires-in': '7d' }),
  'put /upload/{name} 400': () => put(usual, 'x', { 'x-max-downloads': 'many' }),
  'put /upload/{name} 401': () => put(usual, 'x', { authorization: 'Bearer wrong' }),
  'put /upload/{name} 403': () => put(closed, 'twelve bytes'),
  'put /upload/{name} 413': () => put(strict, 'x'.repeat(1200)),
  'put /upload/{name} 415': () => put(usual, 'x', { 'content-encoding': 'gzip' }),
  'put /upload/{name} 507': () => put(busy, 'twelve bytes'),
  'put /upload/{name} 429': () => afterFull(() => put(strict, 'x'.repeat(900))),
  'get /file/{id} 200': () => at(''),
  'get /file/{id} 206': () => at('', { headers: { range: 'bytes=0-3' } }),
  'get /file/{id} 304': () => at('', { headers: { 'if-none-match': '*' } }),
  'get /file/{id} 401': () => at('', {}, withPassword),
  'get /file/{id} 404': () => missing(`/file/${NOBODY}`),
  'get /file/{id} 412': () => at('', { headers: { 'if-match': '"another"' } }),
  'get /file/{id} 416': () => at('', { headers: { range: 'bytes=100-' } }),
  'get /file/{id} 429': () => busy.get(`/file/${NOBODY}`),
  'get /file/{id}/{name} 200': () => at('/note.txt'),
  'get /file/{id}/{name} 206': () => at('/note.txt', { headers: { range: 'bytes=0-3' } }),
  'get /file/{id}/{name} 304': () => at('/note.txt', { headers: { 'if-none-match': '*' } }),
  'get /file/{id}/{name} 412': () => at('/note.txt', { headers: { 'if-match': '"another"' } }),
  'get /file/{id}/{name} 416': () => at('/note.txt', { headers: { range: 'bytes=100-' } }),
  'get /file/{id}/{name} 429': () => busy.get(`/file/${NOBODY}/note.txt`),
  'get /file/{id}/{name} 401': () => at('/note.txt', {}, withPassword),
  'get /file/{id}/{name} 404': () => missing(`/file/${NOBODY}/note.txt`),
  'get /file/{id}/view 200': () => at('/view'),
  'get /file/{id}/view 429': () => busy.get(`/file/${NOBODY}/view`),
  'get /file/{id}/{name}/view 429': () => busy.get(`/file/${NOBODY}/note.txt/view`),
  'get /file/{id}/view 404': () => missing(`/file/${NOBODY}/view`),
  'get /file/{id}/{name}/view 200': () => at('/note.txt/view'),
  'get /file/{id}/{name}/view 404': () => missing(`/file/${NOBODY}/note.txt/view`),
  'post /file/{id} 200': () => at('', passwordForm('secret'), withPassword),
  'post /file/{id} 403': () => at('', passwordForm('wrong'), withPassword),
  'post /file/{id} 404': () => missing(`/file/${NOBODY}`, passwordForm('secret')),
  'post /file/{id} 405': () => at('', { method: 'POST' }),
  'post /file/{id} 413': () => at('', passwordForm('x'.repeat(5000)), withPassword),
  'post /file/{id} 429': guessTooOften,
  ...Object.fromEntries(forms),
  'delete /share/{id} 200': () => unshare(),
  'delete /share/{id} 401': () => unshare(''),
  'delete /share/{id} 403': () => unshare('wrong'),
  'delete /share/{id} 404': () => missing(`/share/${NOBODY}`, { method: 'DELETE', headers: { authorization: 'x' } }),
  'delete /file/{id} 200': () => remove('DELETE'),
  'delete /file/{id} 401': () => remove('DELETE', ''),
  'delete /file/{id} 403': () => remove('DELETE', 'wrong'),
  'delete /file/{id} 404': () => missing(`/file/${NOBODY}`, { method: 'DELETE', headers: { authorization: 'x' } }),
  'get /delete/{id} 200': () => remove('GET'),
  'get /delete/{id} 401': () => remove('GET', ''),
  'get /delete/{id} 403': () => remove('GET', 'wrong'),
  'get /delete/{id} 404': () => missing(`/delete/${NOBODY}`, { headers: { authorization: 'x' } }),

  'get / 200': () => missing('/'),
  'get /healthz 200': () => missing('/healthz'),
  'get /readyz 200': () => missing('/readyz'),
  'get /readyz 503': () => fetch(`${strict.url}/readyz`),
  'get /metrics 200': () => metrics(METRICS_TOKEN),
  'get /metrics 401': () => metrics('wrong'),
  'get /openapi.json 200': () => missing('/openapi.json'),
  'get /docs 200': () => missing('/docs'),

  'post /ai/openai/chat/completions 504': () => postInVain('/ai/openai/chat/completions', CHAT),
  ...storedResponses(),
  'post /ai/openai/responses 504': () => postInVain('/ai/openai/responses', RESPONSE),
  'post /ai/openai/completions 504': () => postInVain('/ai/openai/completions', COMPLETION),
  'post /ai/openai/audio/speech 504': () => postInVain('/ai/openai/audio/speech', FAKE_SPEECH),
  'post /ai/openai/moderations 504': () => postInVain('/ai/openai/moderations', MODERATION),
  'post /ai/openai/rerank 504': () => postInVain('/ai/openai/rerank', RERANK),
  'post /ai/openai/embeddings 504': () => postInVain('/ai/openai/embeddings', EMBEDDING),
  'post /ai/anthropic/messages 504': () => postInVain('/ai/anthropic/messages', MESSAGE),
};

/** Sends a request to a provider that answers this at every path but those of chats. */
function postElsewhere(path: string, body: object, answer: object): Promise<Response> {
  usual.provider.behaveElsewhere(answerJson(200, answer));
  return usual.post(path, body);
}

function failElsewhere(path: string, body: object): Promise<Response> {
  usual.provider.behaveElsewhere(BROKEN);
  return usual.post(path, body);
}

/** Sends a request to a provider that does not answer. */
function postInVain(path: string, body: object): Promise<Response> {
  return askInVain((service) => service.post(path, body));
}

async function askInVain(ask: (service: HttpService) => Promise<Response>): Promise<Response> {
  const service = await startHttpService({ database, otherModels, timeouts: { totalMs: 100, firstTokenMs: 100 } });
  try {
    service.provider.behaveUsually(hang());
    service.provider.behaveElsewhere(hang());
    return await ask(service);
  } finally {
    void service.close();
  }
}

/** @returns the id of an answer. */
async function beAnswered(): Promise<string> {
  const { id } = (await (await usual.post('/ai/openai/chat/completions', CHAT)).json()) as { id: string };
  return id;
}

function failToDraw(path: string, body: object = PICTURE): Promise<Response> {
  images.scripts.push(drawNothing(new ProviderUnavailableError('painter', 'no')));
  return usual.post(path, body);
}

const DOCUMENTED = OPERATIONS.flatMap((operation) =>
  Object.keys(operation.responses).map((status) => ({
    name: `${operation.method} ${operation.path} ${status}`,
    operation,
    status: Number(status),
  })),
);

describe('documented answers', () => {
  test.each(DOCUMENTED)('$name', async ({ name, operation, status }) => {
    const scenario = SCENARIOS[name];
    expect(scenario, 'a scenario in this file that brings it about').toBeDefined();
    if (!scenario) return;
    const answer = await scenario();
    expect(answer.status).toBe(status);
    await expectDocumentedBody(operation, answer);
  });

  test('have no scenario without an answer', () => {
    expect(Object.keys(SCENARIOS).toSorted()).toEqual(DOCUMENTED.map(({ name }) => name).toSorted());
  });

  test('include streams', async () => {
    for (const [path, body] of [
      ['/ai/openai/chat/completions', { ...CHAT, stream: true }],
      ['/ai/openai/responses', { ...RESPONSE, stream: true }],
      ['/ai/anthropic/messages', { ...MESSAGE, stream: true }],
      ['/ai/v2', { ...NATIVE, request: { ...NATIVE.request, stream: true } }],
    ] as const) {
      const answer = await usual.post(path, body);
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(await answer.text()).toMatch(
        /^(?:event: \S+\n)?data: \{[\s\S]*data: (?:\[DONE\]|\{.*"message_stop".*\})\n\n$/,
      );
    }
  });
});

async function expectDocumentedBody({ responses }: Operation, answer: Response): Promise<void> {
  const { content = {} } = responses[answer.status] ?? {};
  const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  const body = await answer.text();
  if (Object.keys(content).length === 0) return;
  const { schema } = content[type] ?? content['*/*'] ?? {};
  expect(schema, `${type} is documented`).toBeDefined();
  if (schema && '$ref' in schema) toZod(schema).parse(JSON.parse(body));
}

/** References of JSON Schema point into the same schema. */
function toZod(schema: JsonSchema): z.ZodType {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
}

const DEMO_MODELS: Readonly<Record<string, string>> = {
  '/ai/openai/completions': 'demo',
  '/ai/openai/audio/speech': 'demo-speech',
  '/ai/openai/embeddings': 'demo-embedding',
  '/ai/openai/moderations': 'demo-moderation',
  '/ai/openai/rerank': RERANK_MODEL,
};

describe('the OpenAPI document', () => {
  test('contains every route and no other', () => {
    const routes = listRoutes(usual.printRoutes()).flatMap(([method, path]) => {
      // Assets of the page at /docs, and the console with its routes, which change with it.
      const isInternal = /^\/(docs\/|console|api\/(me|sessions)\b)/.test(path);
      if (method === 'HEAD' || isInternal) return [];
      return `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}').replace(/\/?\*/, '/{id}')}`;
    });
    expect(routes.toSorted()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test('describes every route', () => {
    const undescribed = OPERATIONS.filter(
      ({ tags, summary, responses }) =>
        !tags || !summary || Object.values(responses).some(({ description }) => description === 'Default Response'),
    );
    expect(undescribed).toEqual([]);
  });

  test('explains every field of every body', () => {
    const unexplained = OPERATIONS.flatMap(({ path, requestBody }) =>
      Object.entries(requestBody?.content['application/json']?.schema.properties ?? {}).flatMap(([name, property]) =>
        typeof property === 'object' && property.description ? [] : `${path} ${name}`,
      ),
    );
    expect(unexplained).toEqual([]);
  });

  test('has no dangling references, and examples that are valid', async () => {
    expect(document.openapi).toBe('3.1.0');
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document.components.schemas).toHaveProperty(name);
    const bodies = OPERATIONS.flatMap(({ path, requestBody }) => {
      const body = requestBody?.content['application/json'];
      return body ? [{ path, ...body }] : [];
    });
    expect(bodies.length).toBeGreaterThan(5);
    for (const { path, example, schema } of bodies) {
      expect(example).toBeDefined();
      if (path.startsWith('/api/')) {
        toZod(schema).parse(example);
        continue;
      }
      const model = path.includes('imag') ? 'drawing' : (DEMO_MODELS[path] ?? MODEL);
      if (path === '/ai/openai/rerank') usual.provider.behaveElsewhere(answerJson(200, RANKING));
      const known = path === '/ai/feedback' ? { id: await beAnswered() } : {};
      expect((await usual.post(path, { ...example, model, ...known })).status).toBe(200);
    }
  });

  test('is not sent again to a client that has it', async () => {
    const first = await fetch(`${usual.url}/openapi.json`);
    const again = await fetch(`${usual.url}/openapi.json`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });
});
