import { afterEach, expect, test, vi } from 'vitest';
import { createBot } from '../../../src/bot/bot.ts';
import type { GivenServices } from '../../../src/bot/kit/services.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { enterPlace, type Scene, SELDOM_SEEN, watch } from '../../support/harness/topics.ts';
import { drawForever } from '../../support/hosts/scripted-images.ts';
import { createModelEntry } from '../../support/hosts/scripted-models.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

let deps: GivenServices;
const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('painter', { type: 'image' })],
    privateTopics: true,
    change(made) {
      deps = made;
      return made;
    },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.images.scripts.length = 0;
  harness.telegram.configureBot({ inlineFeedback: false });
});

/** Leaves the state of a process that died during an answer. */
async function leaveBehind(scene: Scene, words: string, shown: string | undefined) {
  const { conversations } = harness;
  await scene.isAnswered('Hello');
  await harness.settles(scene.chatId);
  const { id: userId } = await harness.accounts.ensureTelegramUser(scene.ann.id);
  const chatTopic = { chatId: scene.chatId, topicId: scene.topicId };
  const { id: conversationId } = await conversations.currentConversation(chatTopic, userId);
  const parent = await conversations.findLatestMessage(conversationId);
  // In groups the text does not address the running bot. In private chats no message is sent.
  const questionMessageId = scene.isGroup ? scene.writes(words) : undefined;
  const question = await conversations.addMessage({
    ...{ conversationId, parentId: parent?.id, role: 'user' as const, content: words, userId },
    ...(questionMessageId !== undefined && { shownIn: { chatId: scene.chatId, telegramMessageId: questionMessageId } }),
  });
  const answer = await conversations.addMessage({
    ...{ conversationId, parentId: question.id, role: 'assistant' as const, content: '', model: 'basic' },
  });
  if (shown === undefined) return;
  const here = scene.topicId === undefined ? {} : { message_thread_id: scene.topicId };
  const reply = questionMessageId !== undefined ? { reply_parameters: { message_id: questionMessageId } } : {};
  const { message_id } = await harness.client.api.sendMessage(scene.chatId, shown, { ...here, ...reply });
  const delivery = { chatId: scene.chatId, telegramMessageId: message_id, page: 0 };
  await conversations.recordDelivery(answer.id, delivery);
}

async function restart(scene: Scene) {
  const next = createBot(deps);
  await next.recover(scene.chatId, AbortSignal.timeout(60_000));
  await vi.waitFor(() => expect(next.listBusyChats().size).toBe(0));
  await next.stop();
}

describeByTier(SELDOM_SEEN)('after a crash, in a %s,', (chatTopic) => {
  test.each([
    ['that was partially shown', 'You sa'],
    ['that was not shown yet', undefined],
  ])('an answer %s is written there', async (_, shown) => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    await leaveBehind(scene, 'Half?', shown);
    await restart(scene);
    await scene.sees('You said: Half?');
    expect(scene.said().map(({ text }) => text)).toEqual(['You said: Hello', 'You said: Half?']);
    watched.check();
  });

  test('an interrupted image job is reported there, in the language of the group', async () => {
    const scene = enterPlace(harness, chatTopic);
    if (scene.isGroup) await harness.groups.change(scene.chatId, { language: 'ru' });
    const watched = await watch(harness, scene);
    harness.images.scripts.push(drawForever());
    scene.writes('/imagine a fox');
    const imageJob = await scene.sees(scene.isGroup ? /^Рисует/ : /^Creating/);
    await vi.waitFor(async () => {
      const unended = await deps.imageJobs.listUnended(scene.chatId);
      expect(unended.map(({ statusMessageId }) => statusMessageId)).toEqual([imageJob.message.message_id]);
    });
    harness.telegram.deleteMessage(scene.chatId, imageJob.message.message_id);
    await restart(scene);
    await scene.sees(scene.isGroup ? /перезапустился/ : /^I restarted/);
    scene.writes('/stop');
    await harness.hasHandledAll();
    await expect.poll(() => harness.bot.listBusyChats().has(scene.chatId)).toBe(false);
    watched.check(['Bad Request: message to edit not found', 'Bad Request: message to delete not found']);
  });
});

describeByTier(['forum topic', 'private topic'] as const)('an inline question, sent in a %s,', (chatTopic) => {
  test('is answered in its message, and continues in the private chat', async () => {
    harness.telegram.configureBot({ inlineFeedback: true });
    const scene = enterPlace(harness, chatTopic);
    const { queryId } = await scene.ann.asksInline('what is a bell?');
    const sent = harness.telegram.chooseInlineResult({
      ...{ inlineQueryId: queryId, resultId: 'ask', chatId: scene.chatId },
      ...(scene.topicId !== undefined && { topicId: scene.topicId }),
    });
    const shown = () =>
      harness.telegram.transcript(scene.chatId).find(({ message }) => message.message_id === sent.message.message_id);
    await expect.poll(() => shown()?.message.text).toBe('what is a bell?\nYou said: what is a bell?');
    expect(shown()?.message.message_thread_id).toBe(scene.topicId);
    expect(scene.said()).toEqual([]);
    const button = shown()?.message.reply_markup?.inline_keyboard[0]?.[0];
    const [, payload] = /start=(.*)$/.exec(button && 'url' in button ? button.url : '') ?? [];
    const home = harness.telegram.createChat({ type: 'private', memberIds: [scene.ann.id] });
    harness.telegram.sendMessage(home.id, { text: `/start ${payload}`, from: scene.ann.id });
    await harness.sees(home.id, /“what is a bell\?” continues/);
  });
});
