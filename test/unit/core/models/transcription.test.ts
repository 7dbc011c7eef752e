import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../demo/demo-provider.ts';
import { createMemoryDiscoveryCache, createModels, type ModelsConfig } from '../../../../src/core/models/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import {
  answerRaw,
  type Behaviour,
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
} from '../../../support/hosts/fake-provider.ts';

const logger = createLogger({ level: 'silent' });
const VOICE = { bytes: Buffer.from('OggS, and what was said'), name: 'voice 1.ogg', mediaType: 'audio/ogg' };
const signal = AbortSignal.timeout(60_000);

const answers =
  (status: number, body: unknown): Behaviour =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

let hosts: FakeProvider[];
beforeEach(async () => {
  hosts = await Promise.all([startFakeProvider(), startFakeProvider()]);
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
});

/** Every host has speech-to-text with its own model. */
function openModels(hasSpeechToText = true) {
  const config: ModelsConfig = {
    providers: hosts.map(({ baseUrl }, index) => ({
      kind: 'openai-compatible',
      name: `host-${index}`,
      baseUrl,
      apiKeys: ['a-key'],
      ...(hasSpeechToText ? { transcriptionModel: `whisper-${index}` } : {}),
    })),
    aliases: {},
  };
  return createModels(
    { clock: systemClock, logger, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    config,
  );
}

async function readForm(request: FakeRequest | undefined): Promise<FormData> {
  const headers = { 'content-type': request?.headers['content-type'] ?? '' };
  return new Response(new Uint8Array(request?.rawBody ?? []), { headers }).formData();
}

describe('transcription', () => {
  it("sends the file, its name and the model to OpenAI's endpoint", async () => {
    hosts[0]?.behaveElsewhere(answers(200, { text: ' Hello there. ' }));
    const { transcription } = openModels();
    expect(transcription.isAvailable()).toBe(true);
    expect(await transcription.transcribe(VOICE, signal)).toEqual({
      text: 'Hello there.',
      native: Buffer.from('{"text":" Hello there. "}'),
      provider: 'host-0',
      model: 'whisper-0',
    });
    const request = hosts[0]?.requests.at(-1);
    expect(request).toMatchObject({ method: 'POST', url: '/v1/audio/transcriptions' });
    expect(request?.headers.authorization).toBe('Bearer a-key');
    const form = await readForm(request);
    const file = form.get('file');
    expect(form.get('model')).toBe('whisper-0');
    expect(file).toMatchObject({ name: 'voice 1.ogg', type: 'audio/ogg' });
    expect(file instanceof Blob && (await file.text())).toBe('OggS, and what was said');
  });

  it('asks the next provider if one fails or returns an unexpected answer', async () => {
    hosts[1]?.behaveElsewhere(answers(200, { text: 'Hello.' }));
    for (const failure of [answers(500, {}), answers(200, ['no transcript'])]) {
      hosts[0]?.behaveElsewhere(failure);
      expect(await openModels().transcription.transcribe(VOICE, signal)).toMatchObject({ provider: 'host-1' });
    }
  });

  it('asks no other provider if the recording itself is refused', async () => {
    hosts[0]?.behaveElsewhere(answers(400, { error: { message: 'Invalid file format.' } }));
    await expect(openModels().transcription.transcribe(VOICE, signal)).rejects.toMatchObject({
      name: 'ProviderRejectedError',
    });
    expect(hosts[1]?.requests).toEqual([]);
  });

  it('by the name of a model sends every setting, and returns subtitles as they came', async () => {
    hosts[1]?.behaveElsewhere(answerRaw(200, 'text/plain', '1\n00:00:00,000 --> 00:00:01,000\nHello.\n\n'));
    const models = openModels();
    await models.start(signal);
    const transcript = await models.router.transcription.transcribe(
      {
        model: 'whisper-1',
        recording: VOICE,
        task: 'translate',
        language: 'de',
        prompt: 'Zürich',
        format: 'srt',
        temperature: 0.2,
      },
      signal,
    );
    expect(transcript).toMatchObject({ text: '1\n00:00:00,000 --> 00:00:01,000\nHello.', provider: 'host-1' });
    expect(transcript.native?.toString()).toMatch(/Hello\.\n\n$/);
    const request = hosts[1]?.requests.at(-1);
    expect(request?.url).toBe('/v1/audio/translations');
    const { file: _file, ...fields } = Object.fromEntries(await readForm(request));
    expect(fields).toEqual({
      model: 'whisper-1',
      response_format: 'srt',
      language: 'de',
      prompt: 'Zürich',
      temperature: '0.2',
    });
    await models.close();
  });

  it('fails without a provider for transcription', async () => {
    expect(openModels(false).transcription.isAvailable()).toBe(false);
  });
});
