import { expect, it } from 'vitest';
import type { UsageRecorder } from '../../../../src/core/accounts/index.ts';
import { createTextToSpeech } from '../../../../src/core/generation/index.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

type UsageRow = Parameters<UsageRecorder['record']>[0];

const CALLER = { userId: 7, keyId: undefined, chatId: 7 };
const SPEECH = {
  bytes: Buffer.from('OggS'),
  mediaType: 'audio/ogg',
  durationSeconds: 3,
  provider: 'host',
  model: 'tts',
};

/** A host that takes two seconds to speak. */
function createStage(speak: () => Promise<typeof SPEECH>) {
  const clock = createFakeClock();
  const rows: UsageRow[] = [];
  const speech = {
    isAvailable: () => true,
    listTargets: () => [],
    async speak() {
      await clock.advance(2000);
      return speak();
    },
  };
  return { rows, words: createTextToSpeech({ speech, usage: { record: (row) => void rows.push(row) }, clock }) };
}

it('speech is recorded with user, provider, model and duration', async () => {
  const { rows, words } = createStage(async () => SPEECH);
  expect(await words.speak(CALLER, 'Hello', AbortSignal.timeout(60_000))).toBe(SPEECH);
  expect(rows).toMatchObject([
    { userId: 7, kind: 'speech', model: 'tts', provider: 'host', durationMs: 2000, finishReason: 'stop' },
  ]);
  expect(rows[0]?.replyId).toMatch(/^tts-/);
});

it('failed speech is not recorded', async () => {
  const { rows, words } = createStage(() => Promise.reject(new Error('hoarse')));
  await expect(words.speak(CALLER, 'Hello', AbortSignal.timeout(60_000))).rejects.toThrow('hoarse');
  expect(rows).toEqual([]);
});
