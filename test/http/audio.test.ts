import { BadRequestError, InternalServerError, NotFoundError, OpenAI, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { usage } from '../../src/database/schema/index.ts';
import { isJsonObject, parseJson } from '../../src/lib/json/json.ts';
import { fieldPart, filePart, MULTIPART_TYPE, toMultipartBody } from '../support/clients/multipart-body.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  die,
  hang,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { failureOf, type ProviderUnderTest, startProviderUnderTest } from '../support/hosts/provider-under-test.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { measureBestRun, startStopwatch } from '../support/machine/measure.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const TTS = 'tts-1';
const WHISPER = 'whisper-1';
const SPEECH = { model: TTS, input: 'Hello there.', voice: 'nova' } as const;
const SOUND = Buffer.from('ID3\u0004 a sound');

let database: TestDatabase;
let host: ProviderUnderTest;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  database = await createTestDatabase();
  host = await startProviderUnderTest({
    models: [
      { id: TTS, type: 'speech' },
      { id: WHISPER, type: 'transcription' },
    ],
  });
  const demo = createDemoProvider({ clock: createFastClock(20) });
  service = await startHttpService({ database, imageProviders: [host.provider, demo] });
  client = connect(service);
});
afterAll(async () => {
  await service.close();
  await host.close();
  await database.close();
});

function connect({ url, apiKey }: HttpService) {
  return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
}
const answers = (behaviour: Behaviour) => host.host.behaveElsewhere(behaviour);
const seen = () => host.host.requests.at(-1);
const toBytes = async (response: Response) => Buffer.from(await response.arrayBuffer());
const voice = () => toFile(Buffer.from('OggS and words'), 'voice note.ogg', { type: 'audio/ogg' });
/** Returns the fields of the form that the host got; lists as arrays. */
async function seenForm() {
  const headers = { 'content-type': seen()?.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(seen()?.rawBody ?? []), { headers }).formData();
  const file = form.get('file') as File;
  const names = [...new Set(form.keys())].filter((name) => name !== 'file');
  return { file, fields: Object.fromEntries(names.map((name) => [name, form.getAll(name).join('|')])) };
}
/** Parses the events of a stream. */
const readEvents = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => parseJson(event.slice('data: '.length)));
const countRows = async (kind: string) => {
  await service.writtenDown();
  return (await database.db.select().from(usage)).filter((row) => row.kind === kind);
};

describe('speech', () => {
  test("is sent by OpenAI's own client, and comes back as a file", async () => {
    answers(answerRaw(200, 'audio/mpeg', SOUND));
    const before = (await countRows('speech')).length;
    const response = await client.audio.speech.create({
      ...SPEECH,
      response_format: 'mp3',
      speed: 1.25,
      instructions: 'Cheerfully.',
      stream_format: 'audio',
    });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(await toBytes(response)).toEqual(SOUND);
    expect(seen()).toMatchObject({ url: '/v1/audio/speech' });
    expect(seen()?.body).toEqual({ ...SPEECH, response_format: 'mp3', speed: 1.25, instructions: 'Cheerfully.' });
    const rows = await countRows('speech');
    expect(rows.slice(before)).toMatchObject([{ model: TTS, provider: 'host', finishReason: 'stop' }]);
  });

  test('in mp3 is what a request without a format gets', async () => {
    answers(answerRaw(200, 'application/octet-stream', SOUND));
    const response = await client.audio.speech.create(SPEECH);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(seen()?.body).toMatchObject({ response_format: 'mp3' });
  });

  test.each([
    ['opus', 'audio/ogg'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ] as const)('in %s is %s', async (format, mediaType) => {
    answers(answerRaw(200, 'audio/unknown', SOUND));
    const response = await client.audio.speech.create({ ...SPEECH, response_format: format });
    expect(response.headers.get('content-type')).toBe(mediaType);
  });

  test('of a host that ignores the format has the type that the host declares', async () => {
    answers(answerRaw(200, 'audio/wav', SOUND));
    const response = await client.audio.speech.create({ ...SPEECH, response_format: 'mp3' });
    expect(response.headers.get('content-type')).toBe('audio/wav');
  });

  test('has further fields and a voice of the account', async () => {
    answers(answerRaw(200, 'audio/mpeg', SOUND));
    const body = { ...SPEECH, voice: { id: 'voice_1' }, lang_code: 'e', volume: 2 };
    expect((await service.post('/v1/audio/speech', body)).status).toBe(200);
    expect(seen()?.body).toEqual({ ...body, response_format: 'mp3' });
  });

  test('arrives as it is spoken', async () => {
    const second = Promise.withResolvers<void>();
    answers(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write('one');
      await second.promise;
      response.end('two');
    });
    const response = await client.audio.speech.create(SPEECH);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    second.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  test('arrives as events', async () => {
    answers(answerRaw(200, 'audio/mpeg', SOUND));
    const response = await client.audio.speech.create({ ...SPEECH, stream_format: 'sse' });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = readEvents(await response.text()).filter(isJsonObject);
    const audio = events.map((event) => Buffer.from(String(event['audio'] ?? ''), 'base64'));
    expect(Buffer.concat(audio)).toEqual(SOUND);
    expect(events.map(({ type }) => type)).toEqual(['speech.audio.delta', 'speech.audio.done']);
    expect(seen()?.body).not.toHaveProperty('stream_format');
  });

  test('that breaks off breaks off for the client', async () => {
    answers(async ({ response, wait }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write('one');
      await wait(20);
      response.destroy();
    });
    const response = await client.audio.speech.create(SPEECH);
    expect(await failureOf(response.arrayBuffer())).toBeInstanceOf(Error);
    const events = await client.audio.speech.create({ ...SPEECH, stream_format: 'sse' });
    expect(readEvents(await events.text()).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'stream_interrupted' },
    });
  });

  test.each([
    ['before the first byte', hang()],
    [
      'in the middle',
      ({ response }: Parameters<Behaviour>[0]) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg' });
        response.write('one');
      },
    ],
  ])('that the client leaves %s is cancelled at the host within 100 ms', async (_when, behaviour) => {
    const arrived = Promise.withResolvers<void>();
    answers((exchange) => {
      arrived.resolve();
      return behaviour(exchange);
    });
    const leaving = new AbortController();
    const call = client.audio.speech.create(SPEECH, { signal: leaving.signal }).then((response) => response.text());
    await arrived.promise;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const elapsedMs = startStopwatch();
    leaving.abort();
    expect(await failureOf(call)).toBeInstanceOf(Error);
    await seen()?.closed;
    expect(elapsedMs()).toBeLessThan(100);
  });

  test.each<[string, object]>([
    ['model', { model: undefined }],
    ['model', { model: '' }],
    ['input', { input: undefined }],
    ['input', { input: ' ' }],
    ['input', { input: 'x'.repeat(4097) }],
    ['input', { input: ['Hello'] }],
    ['voice', { voice: '' }],
    ['voice', { voice: 3 }],
    ['voice', { voice: {} }],
    ['response_format', { response_format: 'ogg' }],
    ['speed', { speed: 0.2 }],
    ['speed', { speed: '1' }],
    ['instructions', { instructions: 'x'.repeat(4097) }],
    ['stream_format', { stream_format: 'mp3' }],
    ['Input', { Input: 'x' }],
  ])('with a wrong %s is a 400: %j', async (param, fields) => {
    const asked = host.host.requests.length;
    const response = await service.post('/ai/openai/audio/speech', { ...SPEECH, ...fields });
    const { error } = JSON.parse(await response.text());
    expect([response.status, error.param]).toEqual([400, param]);
    expect(host.host.requests).toHaveLength(asked);
  });

  test('of 4096 characters outside the basic plane is accepted', async () => {
    answers(answerRaw(200, 'audio/mpeg', SOUND));
    expect((await client.audio.speech.create({ ...SPEECH, input: '🦊'.repeat(4096) })).status).toBe(200);
  });

  test.each([
    ['an unknown model', 'nobodys', NotFoundError, 'model_not_found'],
    ['a model that transcribes', WHISPER, BadRequestError, 'invalid_request_error'],
  ])('of %s is refused', async (_what, model, errorClass, code) => {
    const error = await failureOf(client.audio.speech.create({ ...SPEECH, model }));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ code, param: 'model' });
  });

  test("has the host's refusal", async () => {
    answers(answerJson(400, { error: { message: 'No such voice.', param: 'voice', code: 'invalid_voice' } }));
    const error = await failureOf(client.audio.speech.create(SPEECH));
    expect(error).toMatchObject({ status: 400, param: 'voice', code: 'invalid_voice' });
  });

  test.each([
    ['an error as JSON', answerJson(200, { error: 'no voice' })],
    ['nothing', answerRaw(200, 'audio/mpeg', '')],
    ['an error', answerJson(500, {})],
    ['no answer', die()],
  ])('of a host that sends %s is a 502', async (_what, behaviour) => {
    answers(behaviour);
    expect(await failureOf(client.audio.speech.create(SPEECH))).toBeInstanceOf(InternalServerError);
  });
});

describe('a transcript', () => {
  test("comes by OpenAI's own client, with everything that the host answers", async () => {
    answers(answerJson(200, { text: ' Hello. ', usage: { type: 'duration', seconds: 3 } }));
    const before = (await countRows('transcription')).length;
    const answer = await client.audio.transcriptions.create({
      file: await voice(),
      model: WHISPER,
      language: 'de',
      prompt: 'Zürich',
      temperature: 0.2,
      include: ['logprobs'],
      timestamp_granularities: ['word', 'segment'],
    });
    expect(answer).toEqual({ text: ' Hello. ', usage: { type: 'duration', seconds: 3 } });
    const { file, fields } = await seenForm();
    expect(seen()?.url).toBe('/v1/audio/transcriptions');
    expect(file).toMatchObject({ name: 'voice note.ogg', type: 'audio/ogg' });
    expect(await file.text()).toBe('OggS and words');
    expect(fields).toEqual({
      model: WHISPER,
      response_format: 'json',
      language: 'de',
      prompt: 'Zürich',
      temperature: '0.2',
      'include[]': 'logprobs',
      'timestamp_granularities[]': 'word|segment',
    });
    expect((await countRows('transcription')).slice(before)).toMatchObject([{ model: WHISPER, provider: 'host' }]);
  });

  test('as text is the text of the JSON', async () => {
    answers(answerJson(200, { text: ' Hello. ' }));
    const answer = await client.audio.transcriptions.create({
      file: await voice(),
      model: WHISPER,
      response_format: 'text',
    });
    expect(answer).toBe('Hello.\n');
    expect((await seenForm()).fields).toMatchObject({ response_format: 'json' });
  });

  test.each([
    ['srt', '1\n00:00:00,000 --> 00:00:01,000\nHello.\n\n'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n'],
  ] as const)('as %s is as the host wrote it', async (format, subtitles) => {
    answers(answerRaw(200, 'text/plain', subtitles));
    const create = client.audio.transcriptions.create({
      file: await voice(),
      model: WHISPER,
      response_format: format,
    });
    expect(await create).toBe(subtitles);
    expect((await create.asResponse()).headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test('as verbose JSON has its segments', async () => {
    const verbose = { task: 'transcribe', text: 'Hello.', duration: 1.5, segments: [{ id: 0, text: 'Hello.' }] };
    answers(answerJson(200, verbose));
    const answer = await client.audio.transcriptions.create({
      file: await voice(),
      model: WHISPER,
      response_format: 'verbose_json',
    });
    expect(answer).toEqual(verbose);
  });

  test('streams as the host streams', async () => {
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel', logprobs: [] },
      { type: 'transcript.text.delta', delta: 'lo.' },
      { type: 'transcript.text.done', text: 'Hello.', usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } },
    ];
    answers(streamRaw(events.map(sseEvent)));
    const stream = await client.audio.transcriptions.create({ file: await voice(), model: WHISPER, stream: true });
    expect(await Array.fromAsync(stream)).toEqual(events);
    expect((await seenForm()).fields).toMatchObject({ stream: 'true' });
  });

  test('of a host that does not stream is streamed as a whole', async () => {
    answers(answerJson(200, { text: 'Hello.' }));
    const stream = await client.audio.transcriptions.create({ file: await voice(), model: WHISPER, stream: true });
    expect(await Array.fromAsync(stream)).toEqual([
      { type: 'transcript.text.delta', delta: 'Hello.' },
      { type: 'transcript.text.done', text: 'Hello.' },
    ]);
  });

  test('whose stream breaks off ends with an error', async () => {
    answers(streamRaw([sseEvent({ type: 'transcript.text.delta', delta: 'Hel' })], { end: 'cut' }));
    const stream = await client.audio.transcriptions.create({ file: await voice(), model: WHISPER, stream: true });
    expect(await failureOf(Array.fromAsync(stream))).toMatchObject({ code: 'stream_interrupted' });
  });

  test('whose stream begins with an error has its status', async () => {
    answers(streamRaw([sseEvent({ type: 'error', error: { message: 'Broken file', type: 'invalid_request_error' } })]));
    const call = client.audio.transcriptions.create({ file: await voice(), model: WHISPER, stream: true });
    expect(await failureOf(call)).toMatchObject({ status: 400, message: expect.stringContaining('Broken file') });
  });

  test('that the client leaves is cancelled at the host', async () => {
    const arrived = Promise.withResolvers<void>();
    answers(() => arrived.resolve());
    const leaving = new AbortController();
    const call = client.audio.transcriptions.create(
      { file: await voice(), model: WHISPER },
      { signal: leaving.signal },
    );
    const failure = failureOf(call);
    await arrived.promise;
    const elapsedMs = startStopwatch();
    leaving.abort();
    expect(await failure).toBeInstanceOf(Error);
    await seen()?.closed;
    expect(elapsedMs()).toBeLessThan(100);
  });
});

describe('a translation', () => {
  test('comes from its own endpoint', async () => {
    answers(answerJson(200, { text: 'Hello.' }));
    expect(await client.audio.translations.create({ file: await voice(), model: WHISPER })).toEqual({ text: 'Hello.' });
    expect(seen()?.url).toBe('/v1/audio/translations');
  });

  test('is not streamed', async () => {
    const body = toMultipartBody([
      filePart('; filename="a.ogg"'),
      fieldPart('model', WHISPER),
      fieldPart('stream', 'true'),
    ]);
    const { status, error } = await send(body, MULTIPART_TYPE, '/ai/openai/audio/translations');
    expect([status, error.param]).toEqual([400, 'stream']);
  });
});

describe('the demonstration', () => {
  test('speaks in wav, which is what it gives without a format', async () => {
    for (const fields of [{}, { response_format: 'wav' as const }]) {
      const response = await client.audio.speech.create({ ...SPEECH, ...fields, model: 'demo-speech' });
      expect(response.headers.get('content-type')).toBe('audio/wav');
      expect((await toBytes(response)).toString('latin1', 0, 4)).toBe('RIFF');
    }
  });

  test('says so when it is asked for another format', async () => {
    const error = await failureOf(
      client.audio.speech.create({ ...SPEECH, model: 'demo-speech', response_format: 'mp3' }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'response_format', message: expect.stringContaining("'wav' only") });
  });

  test('writes that it cannot transcribe, as JSON, text and a stream', async () => {
    const request = { file: await voice(), model: 'demo-transcription' };
    const { text } = await client.audio.transcriptions.create(request);
    expect(text).toContain('demonstration');
    const plain = await client.audio.transcriptions.create({ ...request, response_format: 'text' });
    expect(plain).toBe(`${text}\n`);
    const stream = await client.audio.transcriptions.create({ ...request, stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.length).toBeGreaterThan(10);
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text });
    expect(await client.audio.translations.create(request)).toEqual({ text });
  });

  test.each(['srt', 'vtt', 'verbose_json', 'diarized_json'] as const)('refuses %s', async (format) => {
    const request = { file: await voice(), model: 'demo-transcription', response_format: format };
    const error = await failureOf(client.audio.transcriptions.create(request));
    expect(error).toMatchObject({ status: 400, param: 'response_format' });
  });
});

/** Sends a body unchanged. */
async function send(body: Buffer | string, type = MULTIPART_TYPE, path = '/ai/openai/audio/transcriptions') {
  const response = await service.post(path, '', {
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': type },
  });
  const text = await response.text();
  return { status: response.status, error: JSON.parse(text).error };
}

describe('a form', () => {
  const model = fieldPart('model', WHISPER);
  const file = filePart('; filename="a.webm"', 'words');

  test.each<[string | null, number, Parameters<typeof toMultipartBody>[0]]>([
    ['file', 400, [model]],
    ['file', 400, [model, fieldPart('file', 'words')]],
    ['file', 400, [model, filePart('; filename="a.wav"', '')]],
    ['audio', 400, [model, { ...file, headers: ['Content-Disposition: form-data; name="audio"; filename="a.wav"'] }]],
    ['model', 400, [file]],
    ['model', 400, [file, model, model]],
    ['response_format', 400, [file, model, fieldPart('response_format', 'docx')]],
    ['temperature', 400, [file, model, fieldPart('temperature', 'warm')]],
    ['temperature', 400, [file, model, fieldPart('temperature', '2')]],
    ['stream', 400, [file, model, fieldPart('stream', 'maybe')]],
    ['stream', 400, [file, model, fieldPart('stream', 'true'), fieldPart('response_format', 'srt')]],
    ['language', 400, [file, model, fieldPart('language', 'x'.repeat(101))]],
    ['Language', 400, [file, model, fieldPart('Language', 'de')]],
    [null, 400, [file, file, model]],
    [null, 413, [filePart('; filename="a.wav"', Buffer.alloc(25 * 1024 * 1024 + 1)), model]],
    [null, 413, [filePart('; filename="a.wav"', Buffer.alloc(32 * 1024 * 1024)), model]],
  ])('with a wrong %s is a %i', async (param, status, parts) => {
    const asked = host.host.requests.length;
    const answer = await send(toMultipartBody(parts));
    expect([answer.status, answer.error.param]).toEqual([status, param]);
    expect(host.host.requests).toHaveLength(asked);
  });

  test.each([
    ['without a boundary', 400, toMultipartBody([file, model]), 'multipart/form-data'],
    ['that is cut off', 400, toMultipartBody([file, model], { isOpen: true }), MULTIPART_TYPE],
    ['as JSON', 415, '{"model":"whisper-1"}', 'application/json'],
    ['without a type', 415, 'words', 'text/plain'],
  ])('%s is a %i', async (_what, status, body, type) => {
    expect((await send(body, type)).status).toBe(status);
  });

  test('of 25 MiB needs little time of the main thread', async () => {
    answers(answerJson(200, { text: 'Hello.' }));
    const body = toMultipartBody([filePart('; filename="a.wav"', Buffer.alloc(25 * 1024 * 1024)), model]);
    const connection = await fetch(`${service.url}/healthz`);
    await connection.text();
    const upload = async () => expect((await send(body)).status).toBe(200);
    // This includes the client and the host.
    expect(await measureBestRun(upload, 150)).toBeLessThan(150);
  });
});

test('audio counts as requests', async () => {
  const strict = await startHttpService({
    database,
    imageProviders: [host.provider],
    plans: { universal: { key: { requestsPerMinute: 2 } } },
  });
  answers(answerRaw(200, 'audio/mpeg', SOUND));
  const strictClient = connect(strict);
  const speak = async () => (await strictClient.audio.speech.create(SPEECH)).arrayBuffer();
  await speak();
  await speak();
  expect(await failureOf(speak())).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  const transcribe = strictClient.audio.transcriptions.create({ file: await voice(), model: WHISPER });
  expect(await failureOf(transcribe)).toMatchObject({ status: 429 });
  await strict.close();
});

test('a stream of a recording that takes long is kept alive', async () => {
  const patient = await startHttpService({ database, imageProviders: [host.provider], clock: createFastClock(750) });
  answers(async ({ response, wait }) => {
    await wait(200);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"text":"Hello."}');
  });
  const body = toMultipartBody([
    filePart('; filename="a.wav"'),
    fieldPart('model', WHISPER),
    fieldPart('stream', 'true'),
  ]);
  const response = await patient.post('/v1/audio/transcriptions', '', {
    body: new Uint8Array(body),
    headers: { 'content-type': MULTIPART_TYPE },
  });
  const text = await response.text();
  expect(text).toContain(': ping\n\n');
  expect(readEvents(text).at(-1)).toMatchObject({ type: 'transcript.text.done' });
  await patient.close();
});
