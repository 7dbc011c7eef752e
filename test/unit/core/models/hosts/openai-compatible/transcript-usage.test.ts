import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TranscriptFormat } from '../../../../../../src/core/models/contract/transcription-model.ts';
import { answerJson, answerRaw } from '../../../../../support/hosts/fake-provider.ts';
import {
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

let under: ProviderUnderTest;
beforeEach(async () => {
  under = await startProviderUnderTest();
});
afterEach(() => under.close());

const recording = { bytes: Buffer.from('sound'), name: 'voice.mp3' };
const transcribe = async (format: TranscriptFormat = 'json') => {
  const { transcription } = under.provider;
  if (!transcription) throw new Error('the provider does not transcribe');
  const { usage, audioSeconds } = await transcription.transcribe({ model: 'm', recording, format }, noAbort());
  return { usage, audioSeconds };
};

it.each([
  [
    'tokens',
    { type: 'tokens', input_tokens: 14, output_tokens: 45, input_token_details: { text_tokens: 0, audio_tokens: 14 } },
    { usage: { promptTokens: 14, completionTokens: 45, audioInputTokens: 14 }, audioSeconds: undefined },
  ],
  ['a duration', { type: 'duration', seconds: 9 }, { usage: undefined, audioSeconds: 9 }],
  [
    'tokens and a duration, as Mistral does',
    { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3264, completion_tokens: 635 },
    { usage: { promptTokens: 4, completionTokens: 3260 }, audioSeconds: 203 },
  ],
  ['a negative duration', { type: 'duration', seconds: -9 }, { usage: undefined, audioSeconds: undefined }],
  ['an endless duration', { type: 'duration', seconds: 1e308 }, { usage: undefined, audioSeconds: undefined }],
  ['nothing', undefined, { usage: undefined, audioSeconds: undefined }],
])('usage of a transcript may be %s', async (_what, usage, expected) => {
  under.host.behaveElsewhere(answerJson(200, { text: 'Hello.', usage }));
  expect(await transcribe()).toEqual(expected);
});

it('the duration may be a field of the verbose format, and is missing in subtitles', async () => {
  under.host.behaveElsewhere(answerJson(200, { text: 'Hello.', duration: 8.47 }));
  expect((await transcribe('verbose_json')).audioSeconds).toBe(8.47);
  under.host.behaveElsewhere(answerRaw(200, 'text/plain', '1\n00:00:00,000 --> 00:00:01,000\nHello.\n'));
  expect((await transcribe('srt')).audioSeconds).toBeUndefined();
});
