import { afterEach, expect, test } from 'vitest';
import type { TextToSpeech } from '../../../src/core/generation/index.ts';
import { ProviderUnavailableError } from '../../../src/core/models/index.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { enterPlace, FURTHER, type PlaceName, type Scene, SELDOM_SEEN, watch } from '../../support/harness/topics.ts';
import {
  createGate,
  createModelEntry,
  goOnFrom,
  type ModelScript,
  toSource,
  toThought,
} from '../../support/hosts/scripted-models.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

const A_REFUSAL = 'Bad Request: RICH_MESSAGE_INVALID';
const TABLE = 'Prices:\n\n| Thing | Price |\n|---|--:|\n| Tea | $5 |';

const speech: TextToSpeech = {
  isAvailable: () => true,
  speak: async (_caller, words) => ({
    ...{ bytes: Buffer.from(`OggS ${words}`), mediaType: 'audio/ogg', durationSeconds: 3 },
    ...{ provider: 'host', model: 'tts' },
  }),
};
const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('clever')],
    privateTopics: true,
    speech,
    transcription: { isAvailable: () => true, transcribe: async () => 'How far is the moon?' },
    tools: { builtIn: ['calculator', 'current_time'] },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.telegram.clearFaults();
});

const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);
const away = (): ModelScript => () => Promise.reject(new ProviderUnavailableError('test', 'away', { status: 503 }));
const cutOff =
  (text: string): ModelScript =>
  async (write) => {
    write(text);
    return 'length';
  };
const countUnfinished = async ({ chatId }: Scene) => (await harness.conversations.listUnfinished(chatId)).length;
const settles = (scene: Scene) => harness.settles(scene.chatId);
const reactionsTo = ({ chatId }: Scene, messageId: number) =>
  harness.telegram
    .transcript(chatId)
    .find(({ message }) => message.message_id === messageId)
    ?.reactions.flatMap(({ emoji }) => emoji);
const voices = (scene: Scene) => scene.said().filter(({ voice }) => voice);

/** Tests of answers, by title. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'variants, arrows between them, a continuation, another model'(scene) {
    harness.models.scripts.push('First.', 'Second.', cutOff('It begins'), 'begins and ends.');
    scene.asks('Hello');
    await scene.offers('🔄 Again Other model ⋯');
    await settles(scene);
    await scene.presses('🔄 Again');
    await scene.offers('‹ 2/2 · basic › ⋯');
    await settles(scene);
    await scene.presses('‹');
    await scene.sees('First.');
    await settles(scene);
    await scene.presses('⋯');
    await scene.presses('Other model');
    await scene.presses('clever');
    await scene.offers('‹ 3/3 · clever › ▶️ Continue 🔄 Again ⋯');
    await settles(scene);
    expect(await scene.presses('3/3 · clever')).toBe('Answer 3 of 3, written by clever.');
    await scene.presses('▶️ Continue');
    await scene.sees('It begins and ends.');
    await settles(scene);
    expect(scene.said()).toHaveLength(1);
    await scene.isAnswered('And?');
    expect(lastContents()?.at(1)).toBe('It begins and ends.');
  },

  async 'Stop and /stop end an answer and the waiting messages, and remove their 👀'(scene) {
    harness.models.scripts.push(goOnFrom('On and on'), goOnFrom('Again'));
    scene.asks('Go');
    await scene.sees('On and on');
    const waiting = scene.asks('Wait');
    await expect.poll(() => countUnfinished(scene)).toBe(2);
    expect(await scene.presses('Stop')).toBe('Stopped.');
    await scene.sees('On and on\n\n⏹ Stopped');
    await scene.sees('Again');
    const last = scene.asks('And wait');
    await expect.poll(() => countUnfinished(scene)).toBe(2);
    scene.writes('/stop');
    await scene.sees('Stopped. 1 waiting message was discarded.');
    await settles(scene);
    scene.writes('/stop');
    await scene.sees(/[Nn]othing .*(to stop|is running)/);
    for (const id of [waiting, last]) await expect.poll(() => reactionsTo(scene, id)).toEqual([]);
  },

  async 'messages in a row are one question, and edits are answered again'(scene) {
    const gate = createGate();
    harness.models.scripts.push(async (write, signal) => {
      await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
      signal.throwIfAborted();
      write('Both.');
      return 'stop';
    });
    scene.asks('One');
    await expect.poll(() => harness.models.scripts).toEqual([]);
    const second = scene.asks('Two');
    const answer = await scene.sees('You said: One\n\nTwo');
    gate.open();
    await settles(scene);
    harness.telegram.editMessage(scene.chatId, second, { text: scene.isGroup ? '@switch_bot Three' : 'Three' });
    const anew = await scene.sees('You said: One\n\nThree');
    expect(anew.message.message_id).toBe(answer.message.message_id);
    await settles(scene);
    await scene.isAnswered('Four');
    await settles(scene);
    harness.telegram.editMessage(scene.chatId, second, { text: scene.isGroup ? '@switch_bot Five' : 'Five' });
    await scene.sees(/^You edited an earlier message/);
    await scene.presses('Answer again');
    await scene.sees('You said: One\n\nFive');
  },

  async 'a reply to an older answer continues from there'(scene) {
    const first = await scene.isAnswered('One');
    await scene.isAnswered('Two');
    scene.writes('Three', { replyTo: first.message.message_id });
    await scene.sees('You said: Three');
    expect(lastContents()).toEqual(['One', 'You said: One', 'Three']);
  },

  async 'long answers, tables, reasoning with sources, tools'(scene) {
    harness.models.scripts.push(
      `First ${'a '.repeat(2040)}\n\n${FURTHER} ${'b '.repeat(100)}`,
      TABLE,
      async (write) => {
        write('', toThought('Seven?'));
        write('It is 7.', toSource('https://seven.example.org/'));
        return 'stop';
      },
      [{ name: 'calculator', arguments: { expression: '12*34' } }],
      'It is 408.',
    );
    scene.asks('Long?');
    await scene.sees(new RegExp(`^${FURTHER}`));
    await settles(scene);
    scene.asks('Prices?');
    await expect
      .poll(() =>
        scene
          .said()
          .at(-1)
          ?.rich_message?.blocks.map(({ type }) => type),
      )
      .toEqual(['paragraph', 'table']);
    await settles(scene);
    scene.asks('How many?');
    await scene.sees('Seven?\nIt is 7.\n\nSources\n\n1. seven.example.org');
    await settles(scene);
    scene.asks('12*34?');
    await scene.sees('It is 408.');
  },

  async 'a table that Telegram rejects is sent as text'(scene) {
    const { id } = await harness.accounts.ensureTelegramUser(scene.ann.id);
    await harness.accounts.updateSettings(id, { streaming: 'whole' });
    harness.models.scripts.push('Hello.', TABLE);
    scene.asks('Hello');
    await scene.sees('Hello.');
    await settles(scene);
    const kind = { type: 'error', status: 400, description: A_REFUSAL } as const;
    harness.telegram.injectFault({ method: scene.isGroup ? 'editMessageText' : 'sendRichMessage', kind });
    scene.asks('Prices?');
    await scene.sees(/Thing \| Price/);
  },

  async 'a failure is reported with Retry and Other model'(scene) {
    harness.models.scripts.push(away(), away(), 'At last.');
    scene.asks('Hello');
    await scene.sees(/^basic can’t be reached right now/);
    await settles(scene);
    await scene.presses('Retry');
    await expect.poll(() => harness.models.scripts.length).toBe(1);
    await settles(scene);
    await scene.presses('Other model');
    await scene.presses('clever');
    await scene.sees('At last.');
    expect(scene.shows(/can’t be reached/)).toBe(false);
  },

  async '🔊 reads aloud, and so does the setting in private chats'(scene) {
    await scene.isAnswered('Hello');
    await scene.offers('🔄 Again Other model ⋯');
    await settles(scene);
    await scene.presses('⋯');
    await scene.presses('🔊');
    await expect.poll(() => voices(scene)).toHaveLength(1);
    const { id } = await harness.accounts.ensureTelegramUser(scene.ann.id);
    await harness.accounts.updateSettings(id, { voiceReplies: 'always' });
    await scene.isAnswered('Again');
    await settles(scene);
    if (!scene.isGroup) await expect.poll(() => voices(scene)).toHaveLength(2);
  },
};

/** Scenes for this kind of chat. The General topic differs only in its thread id, so two scenes that use all kinds of calls are enough. */
const listScenes = (chatTopic: PlaceName) =>
  Object.keys(SCENES).slice(0, chatTopic === 'General topic' ? 2 : undefined);

describeByTier(SELDOM_SEEN)('in a %s', (chatTopic) => {
  test.each(listScenes(chatTopic))('%s', async (title) => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    await SCENES[title]?.(scene);
    await settles(scene);
    watched.check([A_REFUSAL]);
  });
});

test('in a private topic live typing is shown there, and ends with the button of its draft', async () => {
  const scene = enterPlace(harness, 'private topic');
  const { id } = await harness.accounts.ensureTelegramUser(scene.ann.id);
  await harness.accounts.updateSettings(id, { streaming: 'drafts' });
  harness.models.scripts.push(goOnFrom('On and on'));
  scene.asks('Go');
  const drafts = () => harness.telegram.drafts(scene.chatId);
  await expect
    .poll(() => drafts().map(({ text, topicId }) => ({ text, topicId })))
    .toEqual([{ text: 'On and on', topicId: scene.topicId }]);
  harness.telegram.stopDraft(scene.chatId, drafts()[0]?.draftId ?? '');
  const { message } = await scene.sees('On and on\n\n⏹ Stopped');
  expect(message.message_thread_id).toBe(scene.topicId);
  await settles(scene);
});
