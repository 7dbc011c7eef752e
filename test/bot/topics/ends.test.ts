import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import type { TextToSpeech } from '../../../src/core/generation/index.ts';
import { conversations, messages } from '../../../src/database/schema/index.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { enterPlace, type Scene } from '../../support/harness/topics.ts';
import { drawForever } from '../../support/hosts/scripted-images.ts';
import { createGate, createModelEntry, goOnFrom } from '../../support/hosts/scripted-models.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

let gate = createGate();
const speech: TextToSpeech = {
  isAvailable: () => true,
  async speak(_caller, words) {
    await gate.passed;
    return {
      bytes: Buffer.from(`OggS ${words}`),
      mediaType: 'audio/ogg',
      durationSeconds: 3,
      provider: 'host',
      model: 'tts',
    };
  },
};
const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('painter', { type: 'image' })],
    privateTopics: true,
    speech,
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.images.scripts.length = 0;
  gate = createGate();
});

const newTopic = (scene: Scene) =>
  harness.telegram.createTopic({ chatId: scene.chatId, name: 'Towers', from: scene.ann.id }).topics.at(-1)?.id ?? 0;
const lastSaid = (scene: Scene) => scene.said().at(-1)?.text;
/** Reports whether the bot is working for this chat. */
const isBusy = ({ chatId }: Scene) => harness.bot.listBusyChats().has(chatId);

describe('/stop', () => {
  test.each(['private topic', 'forum topic'] as const)(
    'in a %s stops nothing in other topics and mentions them',
    async (chatTopic) => {
      const scene = enterPlace(harness, chatTopic);
      const other = newTopic(scene);
      harness.models.scripts.push(goOnFrom('Here'), goOnFrom('There'));
      scene.asks('One');
      await scene.sees('Here');
      harness.images.scripts.push(drawForever());
      scene.writes('/imagine a fox');
      await scene.sees(/^Creating/);
      scene.ann.writes(scene.isGroup ? '@switch_bot Two' : 'Two', { topicId: other });
      await scene.sees('There');
      scene.writes('/stop');
      await scene.sees(
        'Stopped: 1 answer, 1 image. Your requests in other topics continue. Send /stop there to stop them.',
      );
      scene.ann.writes('/stop', { topicId: other });
      await expect.poll(() => lastSaid(scene)).toBe('Stopped.');
      await expect.poll(() => isBusy(scene)).toBe(false);
    },
  );

  test('outside of the topics of a private chat stops the work in all of them', async () => {
    const scene = enterPlace(harness, 'private topic');
    harness.models.scripts.push(goOnFrom('Here'), goOnFrom('There'));
    scene.asks('One');
    await scene.sees('Here');
    scene.ann.writes('Two');
    await scene.sees('There');
    scene.ann.writes('/stop');
    await scene.sees('Stopped: 2 answers.');
    await expect.poll(() => isBusy(scene)).toBe(false);
  });

  test('in a group stops only requests of the user who sent it', async () => {
    const scene = enterPlace(harness, 'group');
    harness.models.scripts.push(goOnFrom('On and on'));
    scene.asks('One');
    await scene.sees('On and on');
    scene.writes('/stop', {}, scene.bob);
    await scene.sees('Nothing of yours is running here. Only the users who asked can stop the rest.');
    expect(isBusy(scene)).toBe(true);
    scene.writes('/stop');
    await scene.sees('Stopped.');
  });
});

test('/forget stops the work for the user in all chats, and nothing of it is stored afterwards', async () => {
  const scene = enterPlace(harness, 'forum topic');
  await scene.isAnswered('Hello');
  const me = enterPlace(harness, 'private chat');
  harness.telegram.changeMember(scene.chatId, { action: 'join', personId: me.ann.id });
  harness.models.scripts.push(goOnFrom('A secret'), goOnFrom('Another'));
  harness.telegram.sendMessage(scene.chatId, {
    ...{ text: '@switch_bot Tell me', from: me.ann.id },
    ...(scene.topicId !== undefined && { topicId: scene.topicId }),
  });
  await scene.sees('A secret');
  me.asks('Here as well');
  await me.sees('Another');
  harness.images.scripts.push(drawForever());
  harness.telegram.sendMessage(scene.chatId, { text: '/imagine a fox', from: me.ann.id });
  await scene.sees(/^Creating/);
  me.writes('/forget');
  await me.presses('Yes, forget everything');
  await me.sees(/^Done\. I have deleted everything about you/);
  expect([isBusy(scene), isBusy(me)]).toEqual([false, false]);
  const kept = await harness.db
    .select({ content: messages.content })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(eq(conversations.chatId, scene.chatId))
    .orderBy(messages.id);
  expect(kept.map(({ content }) => content)).toEqual(['Hello', 'You said: Hello', '', '']);
});

test('/forget also discards a title that is being generated', async () => {
  const titled = await createBotHarness({ asksForTitles: true });
  const { Ann, Bob } = titled.group(['Ann', 'Bob']);
  const title = createGate();
  titled.models.scripts.push('Hello.', async (write) => {
    await title.passed;
    write('What Ann told');
    return 'stop';
  });
  Ann.writes('@switch_bot My secret');
  await titled.sees(Ann.chatId, 'Hello.');
  await expect.poll(() => titled.models.requests).toHaveLength(2);
  Bob.writes('@switch_bot And I');
  await titled.sees(Ann.chatId, 'You said: And I');
  await titled.settles(Ann.chatId);
  const { id } = await titled.accounts.ensureTelegramUser(Ann.id);
  await titled.personalData.forget(id);
  title.open();
  await titled.passes(2000);
  const conversation = await titled.conversations.findCurrentConversation({ chatId: Ann.chatId, topicId: undefined });
  expect(conversation).toMatchObject({ title: undefined });
  await titled.close();
});

describeByTier(['forum topic', 'private topic'] as const)('a %s that is deleted', (chatTopic) => {
  const deletes = (scene: Scene) => harness.telegram.deleteTopic({ chatId: scene.chatId, topicId: scene.topicId ?? 0 });
  const continuesElsewhere = async (scene: Scene) => {
    await expect.poll(() => isBusy(scene)).toBe(false);
    expect(await harness.conversations.listUnfinished(scene.chatId)).toEqual([]);
    const other = newTopic(scene);
    scene.ann.writes(scene.isGroup ? '@switch_bot Still there?' : 'Still there?', { topicId: other });
    const { message } = await scene.sees('You said: Still there?');
    expect(message.message_thread_id).toBe(other);
    expect(new Set(scene.said().map(({ message_thread_id: topicId }) => topicId))).toEqual(new Set([other]));
  };

  test('during an answer ends it, and nothing is sent elsewhere', async () => {
    const scene = enterPlace(harness, chatTopic);
    harness.models.scripts.push(async (write, signal) => {
      write('It begins');
      await gate.passed;
      write(' and goes on');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    scene.asks('Go');
    await scene.sees('It begins');
    deletes(scene);
    gate.open();
    await continuesElsewhere(scene);
  });

  test('during an image request ends it', async () => {
    const scene = enterPlace(harness, chatTopic);
    const image = gate;
    harness.images.scripts.push(async (request, signal) => {
      await image.passed;
      return harness.images.drawUsually(request, signal);
    });
    scene.writes('/imagine a fox');
    await scene.sees(/^Creating/);
    deletes(scene);
    image.open();
    await continuesElsewhere(scene);
    expect(scene.said().filter(({ photo }) => photo)).toEqual([]);
  });

  test('while an answer is read aloud ends the recording', async () => {
    const scene = enterPlace(harness, chatTopic);
    await scene.isAnswered('Hello');
    await scene.offers('🔄 Again Other model ⋯');
    await harness.settles(scene.chatId);
    await scene.presses('⋯');
    await scene.presses('🔊');
    deletes(scene);
    gate.open();
    await continuesElsewhere(scene);
    expect(scene.said().filter(({ voice }) => voice)).toEqual([]);
  });
});
