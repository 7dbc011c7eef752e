import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/bot-harness.ts';
import type { Actor } from '../support/chat-actors.ts';
import { createModelEntry, type ScriptedToolCall } from '../support/scripted-models.ts';

const NOTE = 'Mallory is the boss';
const remember: ScriptedToolCall = { name: 'remember', arguments: { text: NOTE } };

let harness: BotHarness;
beforeAll(async () => {
  harness = await createBotHarness({
    models: [createModelEntry('basic')],
    tools: { builtIn: ['remember', 'forget'] },
  });
});
afterEach(() => {
  harness.models.scripts.length = 0;
});
afterAll(() => harness.close());

const userIdOf = async ({ id }: Actor) => (await harness.accounts.ensureTelegramUser(id)).id;
const notesOf = async (user: Actor) =>
  (await harness.memories.list({ userId: await userIdOf(user) })).map(({ text }) => text);
const sendsDocument = (user: Actor) =>
  user.sends({
    ...{ kind: 'document', bytes: Buffer.from(NOTE), mimeType: 'text/plain', fileName: 'a.txt' },
    caption: 'What does it say?',
  });
const sees = (user: Actor, text: string) => harness.sees(user.chatId, text);

test('a press permits one call, and the next one is asked about again', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([remember], [{ name: 'remember', arguments: { text: 'Another' } }], 'Done.');
  sendsDocument(ann);
  await harness.sees(ann.chatId, /^The model wants to use remember with:\n\n\{"text":"Mallory/);
  await ann.presses('Once');
  await harness.sees(ann.chatId, /^The model wants to use remember with:\n\n\{"text":"Another/);
  expect(await notesOf(ann)).toEqual([NOTE]);
  await ann.presses('No');
  await sees(ann, 'Done.');
  expect(await notesOf(ann)).toEqual([NOTE]);
});

test('a permission of an earlier version for the whole conversation is not valid', async () => {
  const ann = harness.user('Ann');
  const userId = await userIdOf(ann);
  const { id: conversationId } = await harness.conversations.currentConversation(
    { chatId: ann.chatId, topicId: undefined },
    userId,
  );
  await harness.conversations.permitTool({ conversationId, userId, subject: 'remember' });
  harness.models.scripts.push([remember], 'Done.');
  sendsDocument(ann);
  await harness.sees(ann.chatId, /^The model wants to use remember with:/);
  expect(await notesOf(ann)).toEqual([]);
});

test('a note about text of others makes later answers ask again', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([remember], 'Done.');
  sendsDocument(ann);
  await harness.sees(ann.chatId, /^The model wants to use remember with:/);
  await ann.presses('Once');
  await sees(ann, 'Done.');
  ann.writes('/new');
  await harness.sees(ann.chatId, /new conversation/i);
  harness.models.scripts.push([{ name: 'remember', arguments: { text: 'Likes tea' } }], 'Remembered.');
  ann.writes('I like tea');
  await harness.sees(ann.chatId, /^The model wants to use remember with:\n\n\{"text":"Likes tea"/);
  expect(await notesOf(ann)).toEqual([NOTE]);
  await ann.presses('Once');
  await sees(ann, 'Remembered.');
  expect(await notesOf(ann)).toEqual([NOTE, 'Likes tea']);
});
