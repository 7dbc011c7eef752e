import { describe, expect, test, vi } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { withButton } from '../support/harness/chats.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

type Actor = ReturnType<BotHarness['user']>;

/** Text and button rows of the newest message, without ages, which depend on the hour. */
function newestMenu(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const rows = message?.reply_markup?.inline_keyboard.map((row) =>
    row.map((button) => button.text.replace(/ · [^·]+ · /, ' · ')).join(' | '),
  );
  return { text: message?.text, rows };
}

/** Starts a conversation with these questions. */
async function talks(actor: Actor, ...questions: readonly string[]) {
  actor.writes('/new');
  await harness.sees(actor.chatId, /New conversation/);
  for (const question of questions) {
    actor.writes(question);
    await harness.sees(actor.chatId, `You said: ${question}`);
  }
  const chatTopic = { chatId: actor.chatId, topicId: undefined };
  await vi.waitFor(async () =>
    expect((await harness.conversations.findCurrentConversation(chatTopic))?.title).toBeDefined(),
  );
}

/** Contents of the messages in the last model request. */
const lastRequest = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);

/** Presses the button whose label begins like this. */
async function opens(actor: Actor, beginning: string) {
  const label = newestButtons(actor.chatId).find((text) => text.startsWith(beginning));
  if (label === undefined) throw new Error(`no ${beginning} in ${newestButtons(actor.chatId)}`);
  await actor.presses(label);
}

const newestButtons = (chatId: number) =>
  (harness.telegram.transcript(chatId).at(-1)?.message.reply_markup?.inline_keyboard ?? [])
    .flat()
    .map(({ text }) => text);

describe('the conversations of a chat', () => {
  test('are listed newest first, with a mark on the current one', async () => {
    const ann = harness.user('Ann');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /No conversations here yet/);
    await talks(ann, 'Why do bells ring?', 'And at night?');
    await talks(ann, 'How high is a tower?');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(2\)\./);
    expect(newestMenu(ann.chatId).rows).toEqual([
      '✓ How high is a tower? · 2',
      'Why do bells ring? · 4',
      'Archived | Search',
      'New conversation | Close',
    ]);
  });

  test('continue where they ended, with the last question and answer as a reminder', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'I am Ann.', 'I like bells.');
    await talks(ann, 'How high is a tower?');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(2\)\./);
    await opens(ann, 'I am Ann.');
    await harness.sees(ann.chatId, /^I am Ann\.\n\n4 messages, the last one/);
    await ann.presses('Continue here');
    await harness.sees(
      ann.chatId,
      '“I am Ann.” continues here. This is where we were:\n\nYou: I like bells.\nbasic: You said: I like bells.',
    );
    ann.writes('Who am I?');
    await harness.sees(ann.chatId, 'You said: Who am I?');
    expect(lastRequest()).toEqual([
      'I am Ann.',
      'You said: I am Ann.',
      'I like bells.',
      'You said: I like bells.',
      'Who am I?',
    ]);
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(2\)\./);
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('✓ I am Ann. · 6');
  });

  test('are found by words in titles and messages, in the dialog or with the command', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'One', 'The 100% sure thing about Bells');
    await talks(ann, 'Two', 'Nothing of that');
    ann.writes('/threads bells SURE');
    await harness.sees(ann.chatId, '1 conversation with “bells SURE”.');
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('One · 4');
    ann.writes('/threads 100% s');
    await harness.sees(ann.chatId, '1 conversation with “100% s”.');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(2\)/);
    await ann.presses('Search');
    await harness.sees(ann.chatId, /Which conversation\?/);
    ann.writes('100_');
    await harness.sees(ann.chatId, 'No conversation matches “100_”.');
    await ann.presses('All conversations');
    await harness.sees(ann.chatId, /^Your conversations \(2\)/);
  });

  test('can be renamed', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Why do bells ring?');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ Why');
    await ann.presses('Rename');
    await harness.sees(ann.chatId, 'Send me the new title.');
    ann.writes('  Bells,\nand more ');
    await harness.sees(ann.chatId, /^Bells, and more\n\n.*Renamed\.$/s);
    await ann.presses('Back');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('✓ Bells, and more · 2');
  });

  test('can be archived and unarchived; new messages do not continue an archived one', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Why do bells ring?');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ Why');
    await ann.presses('Archive');
    await harness.sees(ann.chatId, /No conversations here yet/);
    ann.writes('A new beginning');
    await harness.sees(ann.chatId, 'You said: A new beginning');
    expect(lastRequest()).toEqual(['A new beginning']);
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await ann.presses('Archived');
    await harness.sees(ann.chatId, 'Archived: 1 conversation.');
    await opens(ann, 'Why');
    await ann.presses('Unarchive');
    await harness.sees(ann.chatId, 'The archive is empty.');
    await ann.presses('All conversations');
    await harness.sees(ann.chatId, /^Your conversations \(2\)/);
  });

  test('are deleted after a confirmation, with all their messages', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'A secret');
    await talks(ann, 'No secret');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(2\)/);
    await opens(ann, 'A secret');
    await ann.presses('Delete');
    await harness.sees(ann.chatId, /Delete this conversation for good\?/);
    await ann.presses('Keep it');
    await harness.sees(ann.chatId, /2 messages/);
    await ann.presses('Delete');
    await ann.presses('Yes, delete it');
    await harness.sees(ann.chatId, /^“A secret” is deleted\.\n\nYour conversations \(1\)/);
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    const { conversations } = await harness.personalData.export(id);
    expect(JSON.stringify(conversations)).not.toContain('A secret');
    expect(await ann.presses('Close')).toBe('');
  });

  test('are deleted once when the confirmation is pressed twice', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'A secret');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ A secret');
    await ann.presses('Delete');
    const hints = await Promise.all([ann.presses('Yes, delete it'), ann.presses('Yes, delete it')]);
    expect(hints.toSorted()).toEqual(['', 'This conversation no longer exists.']);
  });

  test('are not deleted while an answer in them is being written', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'First');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('Slowly ');
      await gate.passed;
      write('done.');
      return 'stop';
    });
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ First');
    await ann.presses('Delete');
    ann.writes('Second');
    await harness.sees(ann.chatId, /Slowly/);
    expect(await ann.presses('Yes, delete it')).toBe(
      'An answer is being written in it. Wait until it is finished, or use /stop.',
    );
    gate.open();
    await harness.sees(ann.chatId, 'Slowly done.');
  });

  test('are exported as a Markdown file', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Что/is: “this”?', 'Go on');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ Что');
    await ann.presses('Export');
    const { document } = await vi.waitFor(() => {
      const message = harness.telegram.transcript(ann.chatId).at(-1)?.message;
      if (!message?.document) throw new Error('no document yet');
      return { document: message.document };
    });
    expect(document.file_name).toBe('Что_is_this.md');
    const { bytes } = harness.telegram.readFile(document.file_id);
    const text = Buffer.from(bytes).toString('utf8');
    expect(text).toMatch(/^# Что\/is: “this”\?\n\n### You\n/);
    expect(text).toMatch(/### basic\n\n_.*_\n\nYou said: Go on\n$/);
  });

  test('are continued by API under the id of their last answer, and the chat sees what was written there', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'One', 'Two');
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(1\)/);
    await opens(ann, '✓ One');
    await ann.presses('Continue by API');
    await harness.sees(ann.chatId, /^To continue this conversation by API/);
    const id = /resp_[\w-]+/.exec(newestMenu(ann.chatId).text ?? '')?.[0] ?? '';
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    const turns = await harness.responses.readTurns(userId, id);
    expect(turns).toMatchObject(
      ['One', 'You said: One', 'Two', 'You said: Two'].map((text) => ({ kind: 'message', text })),
    );
    await harness.responses.add({
      id: 'resp_by_api',
      userId,
      createdAt: new Date(),
      previousId: id,
      inputItems: [],
      itemIds: [],
      body: {},
      input: [{ role: 'user', text: 'Three, by API' }],
      answer: 'Noted.',
      model: 'basic',
      finishReason: 'stop',
      instructions: undefined,
      isBackground: false,
    });
    ann.writes('Four');
    await harness.sees(ann.chatId, 'You said: Four');
    expect(lastRequest()?.slice(-3)).toEqual(['Three, by API', 'Noted.', 'Four']);
  });

  test('are listed in pages', async () => {
    const ann = harness.user('Ann');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    for (let number = 1; number <= 9; number += 1) {
      const conversation = await harness.conversations.startConversation(
        { chatId: ann.chatId, topicId: undefined },
        id,
      );
      const content = `Question ${number}`;
      await harness.conversations.addMessage({
        conversationId: conversation.id,
        parentId: undefined,
        role: 'user',
        content,
      });
    }
    ann.writes('/threads');
    await harness.sees(ann.chatId, /^Your conversations \(9\)/);
    expect(newestMenu(ann.chatId).rows).toHaveLength(11);
    await ann.presses('»');
    await ann.presses('2/2');
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('Question 1 · 1');
    await opens(ann, 'Question 1');
    await harness.sees(ann.chatId, /^Question 1\n\n1 message,/);
    await ann.presses('Back');
    await ann.presses('2/2');
  });
});

describe('a group', () => {
  test('has its own conversations, which only their creator and admins may delete', async () => {
    const { Ann, Bob, Cid } = harness.group(['Cid', 'Ann', 'Bob']);
    Ann.writes('@switch_bot bells');
    await harness.sees(Ann.chatId, 'You said: bells');
    Bob.writes('/threads');
    await harness.sees(Ann.chatId, /^Conversations here \(1\)\./);
    await opens(Bob, '✓ bells');
    expect(await Bob.presses('Delete')).toBe(
      'Only the user who started this conversation and admins of this group can do that.',
    );
    expect(await Ann.presses('Delete')).toBe('This button belongs to someone else.');
    Cid.writes('/threads');
    await vi.waitFor(() => expect(newestButtons(Ann.chatId)[0]).toMatch(/^✓ bells/));
    await opens(Cid, '✓ bells');
    await vi.waitFor(() => expect(newestButtons(Ann.chatId)).toContain('Delete'));
    await Cid.presses('Delete');
    await Cid.presses('Yes, delete it');
    await harness.sees(Ann.chatId, /“bells” is deleted/);
  });

  test('keeps its conversations separate from private chats and from other topics', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'My secret');
    const { Bob } = harness.group(['Bob'], { type: 'forum' });
    const { topics } = harness.telegram.createTopic({ chatId: Bob.chatId, name: 'Bells', from: Bob.id });
    Bob.writes('@switch_bot in general');
    await harness.sees(Bob.chatId, 'You said: in general');
    Bob.writes('@switch_bot in the topic', { topicId: topics[0]?.id ?? 0 });
    await harness.sees(Bob.chatId, 'You said: in the topic');
    Bob.writes('/threads', { topicId: topics[0]?.id ?? 0 });
    await harness.sees(Bob.chatId, /^Conversations here \(1\)\./);
    expect(newestMenu(Bob.chatId).rows?.[0]).toBe('✓ in the topic · 2');

    const secret = await harness.conversations.findCurrentConversation({ chatId: ann.chatId, topicId: undefined });
    const { id } = await harness.accounts.ensureTelegramUser(Bob.id);
    const stolen = ['show', 'continue', 'rename', 'export', 'delete'].map((what) => ({
      kind: what === 'delete' ? 'delete-thread-for-good' : `${what}-thread`,
      conversationId: secret?.id,
    }));
    const tokens = await harness.interactions.storeActions({ userId: id, chatId: Bob.chatId }, stolen);
    const menu = harness.telegram.transcript(Bob.chatId).at(-1)?.message;
    const answered = harness.telegram.calls('answerCallbackQuery').length;
    for (const data of tokens) {
      const from = { id: Bob.id, is_bot: false, first_name: 'Bob' };
      await harness.receives({
        callback_query: { id: '1', from, chat_instance: '1', data, message: withButton(menu, data) },
      });
    }
    const answers = harness.telegram.calls('answerCallbackQuery').slice(answered);
    expect(answers.map(({ params }) => params['text'])).toEqual(
      tokens.map(() => 'This conversation no longer exists.'),
    );
    expect(await harness.conversations.findConversation(secret?.id ?? 0)).toMatchObject({
      title: 'My secret',
      isCurrent: true,
    });
  });
});
