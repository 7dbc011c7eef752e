import { afterEach, expect, test } from 'vitest';
import type { TextToSpeech } from '../../src/core/generation/index.ts';
import { LimitExceededError } from '../../src/core/limits/index.ts';
import { AllProvidersFailedError } from '../../src/core/models/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const VOICE = { kind: 'voice', mimeType: 'audio/ogg', fileName: 'voice.ogg', bytes: Buffer.from('OggS') } as const;

/** Texts sent to text-to-speech. */
const spoken: string[] = [];
let failure: Error | undefined;
let gate: Promise<void> | undefined;
let isAvailable = true;

const speech: TextToSpeech = {
  isAvailable: () => isAvailable,
  async speak(_caller, words, signal) {
    spoken.push(words);
    const stopped = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    stopped.catch(() => {});
    await Promise.race([gate, stopped]);
    if (failure) throw failure;
    const bytes = Buffer.from(`OggS ${words}`);
    return { bytes, mediaType: 'audio/ogg', durationSeconds: 3, provider: 'host', model: 'tts' };
  },
};

const harness = startBeforeAll(() =>
  createBotHarness({
    speech,
    transcription: { isAvailable: () => true, transcribe: async () => 'How far is the moon?' },
  }),
);
afterEach(() => {
  harness.telegram.clearFaults();
  harness.models.scripts.length = 0;
  spoken.length = 0;
  failure = undefined;
  gate = undefined;
  isAvailable = true;
});

const listVoices = (chatId: number) =>
  harness.telegram.transcript(chatId).filter(({ message }) => message.voice && message.from?.is_bot);

/** Creates a user whose question was answered. */
async function answered(name: string, answer: string, languageCode?: string) {
  const person = harness.user(name, languageCode);
  harness.models.scripts.push(answer);
  person.writes('Tell me');
  await person.presses('⋯');
  await expect.poll(() => harness.buttons(person.chatId)).toContain('🔊');
  return person;
}

async function choose(name: string, way: string) {
  const person = harness.user(name);
  person.writes('/settings');
  await person.presses('Answers in the chat');
  await person.presses('Voice answers');
  await person.presses(way);
  await harness.sees(person.chatId, new RegExp(`^Voice answers: ${way}$`, 'm'));
  return person;
}

test('🔊 sends the answer as a voice message in reply to it, without Markdown, code and tables', async () => {
  const ann = await answered('Ann', 'It is **far**.\n\n```ts\nlet far;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |');
  const { passed, open } = createGate();
  gate = passed;
  expect(await ann.presses('🔊')).toBe('One moment, I’m recording it…');
  const actions = () => harness.telegram.calls('sendChatAction').map(({ params }) => params['action']);
  await expect.poll(actions).toContain('record_voice');
  open();
  await expect.poll(() => listVoices(ann.chatId)).toHaveLength(1);
  expect(spoken).toEqual(['It is far.\n\nHere is some code.\n\nHere is a table.']);
  const [voice] = listVoices(ann.chatId);
  expect(voice?.message.voice?.duration).toBe(3);
  expect(voice?.message.reply_to_message?.message_id).toBeDefined();
});

test('a long text ends at a sentence and refers to the written rest', async () => {
  const bob = await answered('Bob', 'Some words make a sentence. '.repeat(300), 'en');
  await bob.presses('🔊');
  await expect.poll(() => listVoices(bob.chatId)).toHaveLength(1);
  const [words = ''] = spoken;
  expect(words.length).toBeGreaterThan(3900);
  expect(words.length).toBeLessThanOrEqual(4096);
  expect(words).toMatch(/a sentence\.\n\nThe rest is in the text\.$/);
});

test('users can choose voice answers to voice messages', async () => {
  const cleo = await choose('Cleo', 'to voice messages');
  harness.models.scripts.push('Hello.', 'Far.');
  cleo.writes('Hi');
  await harness.sees(cleo.chatId, 'Hello.');
  cleo.sends(VOICE);
  await harness.sees(cleo.chatId, 'Far.');
  await expect.poll(() => listVoices(cleo.chatId)).toHaveLength(1);
  expect(spoken).toEqual(['Far.']);
});

test('users can choose voice answers always, in private chats only; switching variants repeats none', async () => {
  const dora = await choose('Dora', 'always');
  harness.models.scripts.push('One.', 'Two.');
  dora.writes('Hi');
  await expect.poll(() => spoken).toEqual(['One.']);
  await expect.poll(() => listVoices(dora.chatId)).toHaveLength(1);
  await dora.presses('🔄 Again');
  await expect.poll(() => listVoices(dora.chatId)).toHaveLength(2);
  await dora.presses('‹');
  await harness.sees(dora.chatId, 'One.');
  const { Eve } = harness.group(['Eve']);
  const { id } = await harness.accounts.ensureTelegramUser(Eve.id);
  await harness.accounts.updateSettings(id, { voiceReplies: 'always' });
  Eve.writes('@switch_bot hello');
  await harness.sees(Eve.chatId, 'You said: hello');
  await harness.passes(3000);
  expect(spoken).toEqual(['One.', 'Two.']);
});

test('a failure is reported, and Retry repeats the request', async () => {
  const fay = await answered('Fay', 'Well.');
  failure = new AllProvidersFailedError('speech', []);
  await fay.presses('🔊');
  await harness.sees(fay.chatId, /I could not read this aloud right now/);
  failure = undefined;
  await fay.presses('Retry');
  await expect.poll(() => listVoices(fay.chatId)).toHaveLength(1);
  await expect.poll(() => harness.lines(fay.chatId).join()).not.toContain('could not');
});

test('a reached limit is reported with its reset time', async () => {
  const moe = await answered('Moe', 'Well.');
  const quotas = { requests: undefined, tokens: undefined, images: undefined };
  const refusal = { kind: 'requests', scope: 'user', limit: 3, retryAfterMs: 40_000, isUsedUp: false } as const;
  failure = new LimitExceededError({ ...refusal, quotas });
  await moe.presses('🔊');
  await harness.sees(moe.chatId, /40 s/);
});

test('an error explains privacy settings that forbid voice messages', async () => {
  harness.telegram.injectFault({
    method: 'sendVoice',
    kind: { type: 'error', status: 400, description: 'Bad Request: VOICE_MESSAGES_FORBIDDEN' },
  });
  const gus = await answered('Gus', 'Well.');
  await gus.presses('🔊');
  await harness.sees(gus.chatId, /your privacy settings don’t allow/);
});

test('a voice message is sent once, whether the response or the request is lost', async () => {
  for (const type of ['reset-after', 'reset-before'] as const) {
    const hal = await answered(`Hal ${type}`, 'Well.');
    harness.telegram.injectFault({ method: 'sendVoice', kind: { type } });
    await hal.presses('🔊');
    await expect.poll(() => listVoices(hal.chatId)).toHaveLength(1);
    await expect.poll(() => harness.bot.listBusyChats().has(hal.chatId)).toBe(false);
    expect(listVoices(hal.chatId)).toHaveLength(1);
  }
});

test('/stop cancels the recording, and a second press starts no second one', async () => {
  const ida = await answered('Ida', 'Well.');
  const open = createGate();
  gate = open.passed;
  await ida.presses('🔊');
  expect(await ida.presses('🔊')).toBe('I’m already recording it. One moment.');
  ida.writes('/stop');
  await harness.sees(ida.chatId, 'Stopped.');
  open.open();
  await expect.poll(() => harness.bot.listBusyChats().has(ida.chatId)).toBe(false);
  expect(listVoices(ida.chatId)).toEqual([]);
});

test('without text-to-speech no button or setting offers it', async () => {
  isAvailable = false;
  const joe = harness.user('Joe');
  joe.writes('Hi');
  await expect.poll(() => harness.buttons(joe.chatId)).toContain('Other model');
  expect(harness.buttons(joe.chatId)).not.toContain('🔊');
  joe.writes('/settings');
  await joe.presses('Answers in the chat');
  await harness.sees(joe.chatId, /Tables and formulas/);
  expect(harness.lines(joe.chatId).join()).not.toContain('voice');
});
