import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { updates } from '../../src/database/schema/index.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { PNG } from '../support/harness/users.ts';
import { createModelEntry, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const models = [
  createModelEntry('basic'),
  createModelEntry('blind', { acceptsImages: false }),
  createModelEntry('seeing', { acceptsImages: true }),
];
const harness = startBeforeAll(() => createBotHarness({ models }));
afterEach(() => {
  harness.models.scripts.length = 0;
});

function lastRequest(): string[] {
  return (harness.models.requests.at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
}

/** Content parts of the last question in the last model request. */
function lastParts(): readonly JsonObject[] {
  const content = harness.models.requests.at(-1)?.messages.at(-1)?.content;
  return typeof content === 'string' || !content ? [] : content;
}

const PNG_URL = `data:image/png;base64,${PNG.toString('base64')}`;

describe('the bot in a group', () => {
  test('ignores messages until it is mentioned, and then replies to the question', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('Hi Bob');
    Bob.writes('/help@other_bot');
    const danced = Bob.writes('/dance');
    const asked = Bob.writes('@switch_bot what is a bell?');
    const answer = await harness.sees(Ann.chatId, 'You said: what is a bell?');
    expect(answer.message.reply_to_message?.message_id).toBe(asked);
    expect(harness.lines(Ann.chatId)).toHaveLength(5);
    expect(lastRequest()).toEqual(['user: what is a bell?']);
    // Messages between users are never stored, not even as updates.
    const kept = await harness.db
      .select({ id: updates.messageId })
      .from(updates)
      .where(eq(updates.chatQueue, Ann.chatId));
    expect(kept).toEqual([{ id: danced }, { id: asked }]);
  });

  test('answers replies to it and continues from the replied-to answer', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push('A bell rings.');
    Ann.writes('@switch_bot what is a bell?');
    const answer = await harness.sees(Ann.chatId, 'A bell rings.');
    Bob.writes('How loud?', { replyTo: answer.message.message_id });
    await harness.sees(Ann.chatId, 'You said: How loud?');
    expect(lastRequest()).toEqual(['user: what is a bell?', 'assistant: A bell rings.', 'user: How loud?']);
  });

  test('answers commands, and unknown commands only if they name it', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('/help@switch_bot');
    await harness.sees(Ann.chatId, /I read text, photos/);
    Ann.writes('/dance@switch_bot');
    await harness.sees(Ann.chatId, /I don’t know \/dance@switch_bot/);
    Ann.writes('/start');
    await harness.sees(Ann.chatId, /Mention me \(@switch_bot\)/);
  });

  test('asks for a question when it is only mentioned', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('@switch_bot');
    await harness.sees(Ann.chatId, /Yes\? Write your question/);
  });

  test('never uses context of private chats or other groups', async () => {
    const secret = harness.user('Ann');
    secret.writes('My secret is 1234');
    await harness.sees(secret.chatId, /1234/);
    const { Ann } = harness.group(['Ann']);
    Ann.writes('@switch_bot what do you know?');
    await harness.sees(Ann.chatId, /You said/);
    expect(lastRequest()).toEqual(['user: what do you know?']);
  });

  test('uses the model and instructions of the user who asks', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/model blind');
    await harness.sees(Ann.chatId, 'Now using blind.');
    Ann.writes('/system Be kind.');
    await harness.sees(Ann.chatId, /Saved/);
    Bob.writes('@switch_bot hello from Bob');
    await harness.sees(Ann.chatId, 'You said: hello from Bob');
    expect(harness.models.requests.at(-1)).toMatchObject({ model: 'basic' });
    Ann.writes('@switch_bot hello from Ann');
    await harness.sees(Ann.chatId, 'You said: hello from Ann');
    expect(harness.models.requests.at(-1)).toMatchObject({
      model: 'blind',
      messages: [{ role: 'system' }, {}, {}, {}],
    });
  });

  test('lets only the user who asked stop an answer', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push(goOnFrom('On and on'));
    Ann.writes('@switch_bot go');
    await harness.sees(Ann.chatId, 'On and on');
    expect(await Bob.presses('Stop')).toBe('Only the user who asked can stop this.');
    Bob.writes('/stop');
    await harness.sees(Ann.chatId, /^Nothing of yours is running here/);
    expect(await Ann.presses('Stop')).toBe('Stopped.');
  });

  test('takes input for a dialog from replies, so that dialogs work in privacy mode', async () => {
    harness.telegram.configureBot({ privacyMode: true });
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/model painter');
    await Ann.presses('Search');
    const { message } = await harness.sees(Ann.chatId, /Which model/);
    Bob.writes('basic', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, 'You said: basic');
    Ann.writes('bli', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, /1 model with “bli”/);
    harness.telegram.configureBot({ privacyMode: false });
  });
});

describe('topics', () => {
  test('of a forum are separate conversations, and answers stay in them', async () => {
    const { Ann } = harness.group(['Ann'], { type: 'forum' });
    const typedIn: (number | undefined)[] = [];
    const unsubscribe = harness.telegram.subscribe(
      (event) => event.type === 'chat-action' && typedIn.push(event.topicId),
    );
    const answerAfterTyping = (words: string, isSeen: () => boolean) => async (write: (words: string) => void) => {
      await harness.telegram.waitFor(isSeen, 100_000);
      write(words);
      return 'stop';
    };
    harness.models.scripts.push(
      answerAfterTyping('In general.', () => typedIn.length > 0),
      answerAfterTyping('In the topic.', () => typedIn.some((topic) => topic !== undefined)),
    );
    Ann.writes('@switch_bot in general');
    const general = await harness.sees(Ann.chatId, 'In general.');
    expect(general.message.message_thread_id).toBeUndefined();

    const { topics } = harness.telegram.createTopic({ chatId: Ann.chatId, name: 'Bells' });
    const topicId = topics[0]?.id ?? 0;
    Ann.writes('@switch_bot in the topic', { topicId });
    const answer = await harness.sees(Ann.chatId, 'In the topic.');
    unsubscribe();
    expect(answer.message.message_thread_id).toBe(topicId);
    const typing = harness.telegram
      .calls('sendChatAction')
      .filter((call) => Number(call.params['chat_id']) === Ann.chatId);
    const named = new Set(typing.map((call) => Number(call.params['message_thread_id'])));
    expect([...named]).toEqual([1, topicId]);
    expect(lastRequest()).toEqual(['user: in the topic']);
  });

  test('of a private chat are separate conversations', async () => {
    const person = harness.telegram.createPerson({ firstName: 'Ann' });
    const { id: chatId } = harness.telegram.createChat({ type: 'private', memberIds: [person.id], topics: true });
    const { topics } = harness.telegram.createTopic({ chatId, name: 'Bells' });
    const topicId = topics[0]?.id ?? 0;
    harness.telegram.sendMessage(chatId, { text: 'ring', topicId });
    const answer = await harness.sees(chatId, 'You said: ring');
    expect(answer.message.message_thread_id).toBe(topicId);
  });
});

describe('a photo', () => {
  test('goes with its caption to a model with vision', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A dot.', 'Yes.');
    ann.sends({ caption: 'What is this?' });
    await harness.sees(ann.chatId, 'A dot.');
    expect(lastParts()).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', url: expect.stringMatching(/^data:image\/(png|jpeg);base64,.{40}/) },
    ]);
    ann.writes('Sure?');
    await harness.sees(ann.chatId, 'Yes.');
    expect(JSON.stringify(harness.models.requests.at(-1)?.messages)).toContain('data:image/');
  });

  test('without a caption is a question', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A dot.');
    ann.sends({});
    await harness.sees(ann.chatId, 'A dot.');
    expect(lastParts().map((part) => part['type'])).toEqual(['image']);
  });

  test('sent as a file is an image of the question', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A dot.');
    ann.sends({ kind: 'document' });
    await harness.sees(ann.chatId, 'A dot.');
    expect(lastParts()[0]).toEqual({ type: 'image', url: PNG_URL });
  });

  test('is rejected for a model without vision, and another model can be chosen', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model blind');
    await harness.sees(ann.chatId, 'Now using blind.');
    ann.sends({ caption: 'Look' });
    await harness.sees(ann.chatId, 'blind can’t see images. Choose a model that can, or describe the image in words.');
    harness.models.scripts.push('A dot.');
    await ann.presses('Other model');
    await ann.presses('basic');
    await harness.sees(ann.chatId, 'A dot.');
    expect(lastParts()).toHaveLength(2);
  });

  test('for a model without vision gets a button with a model that has vision', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model blind');
    await harness.sees(ann.chatId, 'Now using blind.');
    ann.sends({ caption: 'Look' });
    await harness.sees(ann.chatId, /blind can’t see images/);
    harness.models.scripts.push('A dot, seen.');
    await ann.presses('Ask seeing');
    await harness.sees(ann.chatId, 'A dot, seen.');
    expect(harness.models.requests.at(-1)).toMatchObject({ model: 'seeing' });
  });

  test('in earlier messages is only mentioned to a model without vision', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A dot.');
    ann.sends({ caption: 'Look' });
    await harness.sees(ann.chatId, 'A dot.');
    ann.writes('/model blind');
    await harness.sees(ann.chatId, 'Now using blind.');
    ann.writes('And now?');
    await harness.sees(ann.chatId, 'You said: And now?');
    expect(lastRequest()).toEqual(['user: [photo] Look', 'assistant: A dot.', 'user: And now?']);
  });

  test('of another user can be asked about in a group', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push('A dot.');
    const photo = Bob.sends({});
    Ann.writes('@switch_bot what is this?', { replyTo: photo });
    await harness.sees(Ann.chatId, 'A dot.');
    expect(lastParts().map((part) => part['type'])).toEqual(['text', 'image']);
  });

  test('that Telegram fails to deliver gets an error with Retry, without the bot token', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({
      method: 'getFile',
      kind: { type: 'error', status: 400, description: 'wrong file_id' },
    });
    ann.sends({ caption: 'Look' });
    await harness.sees(ann.chatId, 'I could not load the photo from Telegram. Please try again.');
    harness.models.scripts.push('A dot.');
    await ann.presses('Retry');
    await harness.sees(ann.chatId, 'A dot.');
    expect(harness.log.join('\n')).not.toContain('play-token');
  });
});

test('a message of an unsupported kind gets an explanation', async () => {
  const ann = harness.user('Ann');
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
  const story = { chat, id: 1 };
  await harness.receives({ message: { message_id: 1, date: 1, chat, from, story } });
  await harness.sees(ann.chatId, /^I can read text, photos and documents/);
});
