import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../demo/demo-provider.ts';
import { createMemoryDiscoveryCache, createModels, type ModelsConfig } from '../../../../src/core/models/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { type Behaviour, type FakeProvider, startFakeProvider } from '../../../support/hosts/fake-provider.ts';

const logger = createLogger({ level: 'silent' });
const signal = AbortSignal.timeout(60_000);

/** An Ogg file whose last page contains its duration. */
const OGG = (() => {
  const page = Buffer.alloc(28);
  page.write('OggS', 'latin1');
  page[5] = 2;
  page.writeBigInt64LE(48_000n * 7n, 6);
  page.set([1, 8], 26);
  return Buffer.concat([page, Buffer.from('OpusHead')]);
})();

const answers =
  (status: number, body: Buffer | string): Behaviour =>
  ({ response }) => {
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
    });
    response.end(body);
  };

let hosts: FakeProvider[];
beforeEach(async () => {
  hosts = await Promise.all([startFakeProvider(), startFakeProvider()]);
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
});

/** Every host has text-to-speech; the second one is configured. */
function openModels(speaks = true) {
  const config: ModelsConfig = {
    providers: hosts.map(({ baseUrl }, index) => ({
      kind: 'openai-compatible',
      name: `host-${index}`,
      baseUrl,
      apiKeys: ['a-key'],
      ...(speaks ? { speech: index === 0 ? { model: 'tts' } : { model: 'kokoro', voice: 'sky', format: 'mp3' } } : {}),
    })),
    aliases: {},
  };
  return createModels(
    { clock: systemClock, logger, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    config,
  );
}

describe('text-to-speech', () => {
  it("sends model, voice and format to OpenAI's endpoint, and returns audio with its duration", async () => {
    hosts[0]?.behaveElsewhere(answers(200, OGG));
    const { speech } = openModels();
    expect(speech.isAvailable()).toBe(true);
    expect(await speech.speak('Hello there.', signal)).toEqual({
      bytes: OGG,
      mediaType: 'audio/ogg',
      durationSeconds: 7,
      provider: 'host-0',
      model: 'tts',
    });
    const [request] = hosts[0]?.requests ?? [];
    expect(request).toMatchObject({ method: 'POST', url: '/v1/audio/speech' });
    expect(request?.headers.authorization).toBe('Bearer a-key');
    expect(JSON.parse(String(request?.rawBody))).toEqual({
      model: 'tts',
      input: 'Hello there.',
      voice: 'alloy',
      response_format: 'opus',
    });
  });

  it.each([
    ['fails', answers(500, '{}')],
    ['sends an error message', answers(200, '{"error":"no voice"}')],
    ['sends nothing', answers(200, Buffer.alloc(0))],
  ])('asks the next provider if one %s', async (_, failure) => {
    hosts[0]?.behaveElsewhere(failure);
    hosts[1]?.behaveElsewhere(answers(200, Buffer.from('ID3')));
    expect(await openModels().speech.speak('Hello', signal)).toMatchObject({
      provider: 'host-1',
      mediaType: 'audio/mpeg',
      durationSeconds: undefined,
    });
    expect(JSON.parse(String(hosts[1]?.requests[0]?.rawBody))).toMatchObject({ voice: 'sky', response_format: 'mp3' });
  });

  it('asks no other provider if the text itself is refused', async () => {
    hosts[0]?.behaveElsewhere(answers(400, '{"error":{"message":"Refused."}}'));
    await expect(openModels().speech.speak('Hello', signal)).rejects.toMatchObject({ name: 'ProviderRejectedError' });
    expect(hosts[1]?.requests).toEqual([]);
  });

  it('by the name of a model sends every setting', async () => {
    hosts[1]?.behaveElsewhere(answers(200, Buffer.from('fLaC')));
    const models = openModels();
    await models.start(signal);
    const request = { input: 'Hello', voice: 'nova', format: 'flac', speed: 1.5, instructions: 'Cheerfully.' } as const;
    expect(await models.router.speech.speak({ ...request, model: 'kokoro' }, signal)).toMatchObject({
      mediaType: 'audio/flac',
      provider: 'host-1',
    });
    expect(JSON.parse(String(hosts[1]?.requests.at(-1)?.rawBody))).toEqual({
      model: 'kokoro',
      input: 'Hello',
      voice: 'nova',
      response_format: 'flac',
      speed: 1.5,
      instructions: 'Cheerfully.',
    });
    await models.close();
  });

  it('models are listed with their type, and refused for other uses', async () => {
    const models = openModels();
    await models.start(signal);
    expect(models.catalogue.find('kokoro')?.type).toBe('speech');
    await expect(
      models.router.chat.complete({ model: 'kokoro', messages: [{ role: 'user', content: 'Hi' }] }, signal),
    ).rejects.toThrow(
      "The model 'kokoro' reads texts aloud and does not chat. Use it with POST /ai/openai/audio/speech",
    );
    await models.close();
  });

  it('fails without a provider for speech', () => {
    expect(openModels(false).speech.isAvailable()).toBe(false);
  });
});
