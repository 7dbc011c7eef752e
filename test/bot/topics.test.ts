import { describe, expect, test, vi } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness({ privateTopics: true }));

type Actor = ReturnType<BotHarness['user']>;

const topicsOf = (chatId: number, { telegram } = harness) =>
  telegram.state().chats.find(({ id }) => id === chatId)?.topics ?? [];
const lastRequest = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);

/** Asks a question. @returns the topic of the answer. */
async function asks(actor: Actor, text: string, topicId?: number): Promise<number | undefined> {
  actor.writes(text, topicId === undefined ? {} : { topicId });
  const answer = await harness.sees(actor.chatId, `You said: ${text}`);
  return answer.message.message_thread_id;
}

describe('in a private chat with topics', () => {
  test('a question outside of topics opens one, and the conversation continues there', async () => {
    const ann = harness.user('Ann');
    const topicId = await asks(ann, 'Why do bells ring?');
    expect(topicsOf(ann.chatId)).toMatchObject([{ id: topicId, name: 'Why do bells ring?' }]);
    expect(await asks(ann, 'And at night?', topicId)).toBe(topicId);
    expect(lastRequest()).toEqual(['Why do bells ring?', 'You said: Why do bells ring?', 'And at night?']);
    const other = await asks(ann, 'How high is a tower?');
    expect(other).not.toBe(topicId);
    expect(lastRequest()).toEqual(['How high is a tower?']);
    expect(topicsOf(ann.chatId)).toHaveLength(2);
  });

  test('a reply to an answer continues in its topic and opens none', async () => {
    const ann = harness.user('Ann');
    const topicId = await asks(ann, 'One');
    const answer = await harness.sees(ann.chatId, 'You said: One');
    ann.writes('Two', { replyTo: answer.message.message_id });
    const second = await harness.sees(ann.chatId, 'You said: Two');
    expect(second.message.message_thread_id).toBe(topicId);
    expect(topicsOf(ann.chatId)).toHaveLength(1);
  });

  test('instructions set outside of topics apply in the new topic', async () => {
    const ann = harness.user('Ann');
    ann.writes('/system Rhyme.');
    await harness.sees(ann.chatId, /Saved/);
    await asks(ann, 'Bells');
    expect(lastRequest()).toEqual(['Rhyme.', 'Bells']);
  });

  test('a new title renames a topic that the bot opened, and no other', async () => {
    const ann = harness.user('Ann');
    await asks(ann, 'Why do bells ring?');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    const rename = async (label: RegExp, title: string) => {
      const buttons = () =>
        (harness.telegram.transcript(ann.chatId).at(-1)?.message.reply_markup?.inline_keyboard ?? [])
          .flat()
          .map(({ text }) => text);
      await ann.presses(buttons().find((text) => label.test(text)) ?? '');
      await vi.waitFor(() => expect(buttons()).toContain('Rename'));
      await ann.presses('Rename');
      await harness.sees(ann.chatId, 'Send me the new title.');
      ann.writes(title);
      await harness.sees(ann.chatId, new RegExp(`^${title}\\n`));
    };
    await rename(/^Why/, 'Bells');
    await vi.waitFor(() => expect(topicsOf(ann.chatId)).toMatchObject([{ name: 'Bells' }]));

    harness.telegram.createTopic({ chatId: ann.chatId, name: 'Towers', from: ann.id });
    const topicId = topicsOf(ann.chatId).at(-1)?.id;
    await asks(ann, 'How high?', topicId);
    ann.writes('/threads towers');
    await harness.sees(ann.chatId, '1 conversation with “towers”.');
    await rename(/^Towers/, 'Heights');
    expect(topicsOf(ann.chatId).map(({ name }) => name)).toEqual(['Bells', 'Towers']);
  });

  test('the name that a user gives a topic becomes the title', async () => {
    const ann = harness.user('Ann');
    const topicId = await asks(ann, 'Why do bells ring?');
    const chatTopic = { chatId: ann.chatId, topicId };
    const conversation = await harness.conversations.findCurrentConversation(chatTopic);
    await harness.receives({
      message: {
        message_id: 9_999_999,
        date: Math.floor(Date.now() / 1000),
        chat: { id: ann.chatId, type: 'private', first_name: 'Ann' },
        from: { id: ann.id, is_bot: false, first_name: 'Ann' },
        message_thread_id: topicId,
        is_topic_message: true,
        forum_topic_edited: { name: 'My bells' },
      },
    });
    expect(await harness.conversations.findConversation(conversation?.id ?? 0)).toMatchObject({
      title: 'My bells',
      namesTopic: false,
    });
  });

  test('a conversation chosen outside continues in its topic, or in a new one if that was deleted', async () => {
    const ann = harness.user('Ann');
    const first = await asks(ann, 'Why do bells ring?');
    await asks(ann, 'How high is a tower?');
    const picks = async () => {
      ann.writes('/threads bells');
      await harness.sees(ann.chatId, '1 conversation with “bells”.');
      const rows = harness.telegram.transcript(ann.chatId).at(-1)?.message.reply_markup?.inline_keyboard ?? [];
      await ann.presses(rows[0]?.[0]?.text ?? '');
      await ann.presses('Continue here');
      await harness.sees(ann.chatId, '“Why do bells ring?” continues in its topic.');
      return (await harness.sees(ann.chatId, /continues here\. This is where we were/)).message.message_thread_id;
    };
    expect(await picks()).toBe(first);
    harness.telegram.deleteTopic({ chatId: ann.chatId, topicId: first ?? 0 });
    const again = await picks();
    expect(topicsOf(ann.chatId).find(({ id }) => id === again)?.name).toBe('Why do bells ring?');
    await asks(ann, 'And at night?', again);
    expect(lastRequest()).toEqual(['Why do bells ring?', 'You said: Why do bells ring?', 'And at night?']);
  });

  test('answers have no topic when Telegram does not allow the bot to open one', async () => {
    const person = harness.telegram.createPerson({ firstName: 'Ann' });
    const { id: chatId } = harness.telegram.createChat({ type: 'private', memberIds: [person.id], topics: false });
    harness.telegram.sendMessage(chatId, { text: 'No topics here' });
    const answer = await harness.sees(chatId, 'You said: No topics here');
    expect(answer.message.message_thread_id).toBeUndefined();
  });

  test('questions in groups open no topics', async () => {
    const { Ann } = harness.group(['Ann'], { type: 'forum', botStatus: 'administrator' });
    Ann.writes('@switch_bot bells');
    await harness.sees(Ann.chatId, 'You said: bells');
    expect(topicsOf(Ann.chatId)).toEqual([]);
  });
});

test('a topic with a default name is renamed to the title', async () => {
  const titled = await createBotHarness({ privateTopics: true, asksForTitles: true });
  const ann = titled.user('Ann');
  const { topics } = titled.telegram.createTopic({
    chatId: ann.chatId,
    name: 'New chat',
    isNameImplicit: true,
    from: ann.id,
  });
  titled.models.scripts.push('At noon.', 'Noon bells');
  ann.writes('When do bells ring?', { topicId: topics[0]?.id ?? 0 });
  await titled.sees(ann.chatId, 'At noon.');
  const isNamed = () => expect(topicsOf(ann.chatId, titled)).toMatchObject([{ name: 'Noon bells' }]);
  await vi.waitFor(isNamed);
  await titled.close();
});
