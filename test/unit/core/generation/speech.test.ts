import { expect, it } from 'vitest';
import type { UsageRecorder } from '../../../../src/core/accounts/index.ts';
import { createTextToSpeech } from '../../../../src/core/generation/index.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

type UsageRow = Parameters<UsageRecorder['record']>[0];

const CALLER = { userId: 7, keyId: undefined, chatId: 7 };
const SPEECH = {
  bytes: Buffer.from('OggS'),
  mediaType: 'audio/ogg',
  durationSeconds: 3,
  provider: 'host',
  model: 'tts',
};

/** Words spoken by a host that takes two seconds. */
function createStage(speak: () => Promise<typeof SPEECH>) {
  const clock = createFakeClock();
  const rows: UsageRow[] = [];
  const speech = {
    isAvailable: () => true,
    async speak() {
      await clock.advance(2000);
      return speak();
    },
  };
  return { rows, words: createTextToSpeech({ speech, usage: { record: (row) => void rows.push(row) }, clock }) };
}

it('what is read aloud is in the books, with whoever asked and spoke, and how long it took', async () => {
  const { rows, words } = createStage(async () => SPEECH);
  expect(await words.speak(CALLER, 'Hello', AbortSignal.timeout(10_000))).toBe(SPEECH);
  expect(rows).toMatchObject([
    { userId: 7, kind: 'speech', model: 'tts', provider: 'host', durationMs: 2000, finishReason: 'stop' },
  ]);
  expect(rows[0]?.replyId).toMatch(/^tts-/);
});

it('what nobody has spoken is not', async () => {
  const { rows, words } = createStage(() => Promise.reject(new Error('hoarse')));
  await expect(words.speak(CALLER, 'Hello', AbortSignal.timeout(10_000))).rejects.toThrow('hoarse');
  expect(rows).toEqual([]);
});
