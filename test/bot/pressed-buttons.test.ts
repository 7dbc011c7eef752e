import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import type { Message } from 'grammy/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actions } from '../../src/bot/bot.ts';
import { texts as answerButtons } from '../../src/bot/features/answer-buttons/texts.ts';
import { texts as inlineMode } from '../../src/bot/features/inline-mode/texts.ts';
import type { CallbackAction, CallbackActionKind } from '../../src/bot/kit/actions.ts';
import { locales } from '../../src/bot/texts/locales.ts';
import { createImageJobs } from '../../src/core/image-jobs/index.ts';
import * as schema from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { withButton } from '../support/harness/chats.ts';
import { keepFile } from '../support/harness/files.ts';
import type { Actor } from '../support/harness/users.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { testByTier } from '../support/vitest/tiers.ts';

const { en } = locales;
/** Hints for users who may not press a button. */
const FOREIGN = [en.foreignButton, en.foreignStop, en.answers.foreign, en.groups.onlyAdmins];
const INLINE_ID = 'message-of-ann';

interface World {
  readonly ann: Actor;
  readonly bob: Actor;
  /** A forum with both as members, created by Ann. */
  readonly forumId: number;
  /** Values for fields of callback actions, by field name. Other fields get the simplest valid value. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Messages of the bot: a menu in a topic of the forum, and others. */
  readonly messages: Readonly<
    Record<
      'menu' | 'sibling' | 'otherTopic' | 'groupOfAnn' | 'groupOfBob' | 'annPrivate' | 'annOther' | 'bobPrivate',
      Message
    >
  >;
}

interface Press {
  readonly by: Actor;
  readonly data: string;
  readonly message?: Message | { chat: Message['chat']; message_id: number; date: 0 };
  readonly inlineMessageId?: string;
  readonly language?: string;
}

let harness: BotHarness;
let world: World;
let pressCount = 0;
beforeAll(async () => {
  harness = await createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('painter', { type: 'image', acceptsImages: true })],
    openPage: async () => Buffer.from('<p>Tea.</p>'),
  });
  world = await createWorld();
});
afterAll(() => harness.close());

/** Creates a conversation, an answer, an image job, a file, a key and a persona of Ann, and messages of the bot in all chats and topics. */
async function createWorld(): Promise<World> {
  const [ann, bob] = [harness.operator('Ann'), harness.user('Bob')];
  const createForum = (title: string, memberIds: readonly number[]) => {
    const { id } = harness.telegram.createChat({ type: 'forum', title, memberIds });
    const { topics } = harness.telegram.createTopic({ chatId: id, name: 'Bells', from: memberIds[0] ?? 0 });
    return { id, topicId: topics[0]?.id ?? 0 };
  };
  const forum = createForum('Both', [ann.id, bob.id]);
  const { topics } = harness.telegram.createTopic({ chatId: forum.id, name: 'Tea', from: ann.id });
  const forumOfAnn = createForum('Hers', [ann.id]);
  const forumOfBob = createForum('His', [bob.id]);
  const says = (chatId: number, topicId?: number) =>
    harness.client.api.sendMessage(chatId, 'A menu', {
      ...(topicId === undefined ? {} : { message_thread_id: topicId }),
      reply_markup: { inline_keyboard: [[{ text: 'Of its own', callback_data: 'its-own' }]] },
    });

  harness.telegram.sendMessage(forum.id, { text: '@switch_bot My secret', from: ann.id, topicId: forum.topicId });
  await harness.sees(forum.id, 'You said: My secret');
  await harness.settles(forum.id);
  const conversation = await harness.conversations.findCurrentConversation({
    chatId: forum.id,
    topicId: forum.topicId,
  });
  const conversationId = conversation?.id ?? 0;
  const answer = await harness.conversations.findLatestMessage(conversationId);
  const [answerId, questionId] = [answer?.id ?? 0, answer?.parentId ?? 0];
  const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
  await harness.accounts.ensureTelegramUser(bob.id);
  const imageJobId = await createImageJobs({ db: harness.db, clock: systemClock }).begin({
    ...{ userId, chatId: forum.id, topicId: forum.topicId, options: { prompt: 'a fox' } },
  });
  const persona = await harness.personas.add(userId, { name: 'Butler', instructions: 'Serve.' });
  const personaId = typeof persona === 'string' ? 0 : persona.id;
  const fileId = (await keepFile(harness, ann)).id;
  const keyId = (await harness.apiKeys.create(userId, 'mine'))?.key.id ?? 0;
  await harness.groups.change(forum.id, { hasMemory: true });
  const source = { chatId: forum.id, telegramMessageId: 1 };
  const memory = await harness.memories.add({ groupId: forum.id }, { text: 'Likes tea', authorId: userId, source });
  const memoryId = typeof memory === 'string' ? 0 : memory.id;
  const task = await harness.tasks.create(
    { userId, groupId: forum.id },
    {
      kind: 'reminder',
      prompt: 'Tea',
      times: { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-01-01T09:00', timeZone: 'UTC' },
      quietWhenNothingNew: false,
    },
  );
  const taskId = 'id' in task ? task.id : 0;
  const retry = { questionId, failedId: answerId, shownIds: [] };

  return {
    ...{ ann, bob, forumId: forum.id },
    messages: {
      menu: await says(forum.id, forum.topicId),
      sibling: await says(forum.id, forum.topicId),
      otherTopic: await says(forum.id, topics.at(-1)?.id),
      groupOfAnn: await says(forumOfAnn.id, forumOfAnn.topicId),
      groupOfBob: await says(forumOfBob.id, forumOfBob.topicId),
      annPrivate: await says(ann.chatId),
      annOther: await says(ann.chatId),
      bobPrivate: await says(bob.chatId),
    },
    values: {
      ...{ answerId, headId: answerId, questionId, conversationId, retry, imageJobId, fileId, keyId, personaId },
      memoryId,
      taskId,
      entryId: `m${questionId}`,
      persona: `own:${personaId}`,
      model: 'basic',
      ratio: '1:1',
      page: 0,
      models: ['basic', 'painter'],
      example: 0,
      days: 7,
      imageIds: [1],
      afterMs: 3_600_000,
      url: 'https://tea.md/',
      files: [{ fileId: 'x', uniqueId: 'x', kind: 'document', name: 'x.pdf' }],
      changes: { answersReplies: false },
    },
  };
}

function sampleOf(kind: CallbackActionKind): CallbackAction {
  const fields = Object.entries(actions.fieldsOf(kind)).map(([name, schema]) => [name, toValue(name, schema)]);
  const action = actions.parse({ ...Object.fromEntries(fields), kind, ...EXCEPTIONS[kind] });
  if (!action) throw new Error(`the sample of ${kind} does not fit`);
  return action;
}

const EXCEPTIONS: Partial<Record<CallbackActionKind, object>> = {
  'select-drawing-model': { model: 'painter' },
  'select-image-model': { model: 'painter' },
  'select-time-zone': { timeZone: 'Europe/Berlin' },
  'select-task-time-zone': { timeZone: 'Europe/Berlin' },
};

function toValue(name: string, schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodOptional) return undefined;
  if (name in world.values) return world.values[name];
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodNumber) return 1;
  return schema instanceof z.ZodBoolean ? false : 'x';
}

/** Kinds that are tested last, because they delete what the others need. */
const LAST: readonly CallbackActionKind[] = [
  'delete-file-for-good',
  'take-down-file',
  'delete-thread-for-good',
  'delete-persona-for-good',
  'delete-memory',
  'delete-memories-for-good',
  'delete-task-for-good',
  'revoke-key-for-good',
  'forget-everything',
];
const kinds: readonly CallbackActionKind[] = actions.kinds.toSorted((a, b) => LAST.indexOf(a) - LAST.indexOf(b));

/** Presses a button as any client can, with any data on any message. @returns the hint and the other API calls of the bot. */
async function press({ by, data, message, inlineMessageId, language = 'en' }: Press) {
  const last = harness.telegram.calls().at(-1);
  pressCount += 1;
  await harness.receives({
    update_id: 5_000_000 + pressCount,
    callback_query: {
      id: `${pressCount}`,
      from: { id: by.id, is_bot: false, first_name: by.name, language_code: language },
      chat_instance: '1',
      data,
      ...(message === undefined ? {} : { message }),
      ...(inlineMessageId === undefined ? {} : { inline_message_id: inlineMessageId }),
    },
  });
  // The simulator keeps a bounded number of calls.
  const kept = harness.telegram.calls();
  const calls = kept.slice(last === undefined ? 0 : kept.indexOf(last) + 1);
  const answers = calls.filter(({ method }) => method === 'answerCallbackQuery');
  const others = calls.filter(({ method }) => method !== 'answerCallbackQuery' && method !== 'getChatMember');
  return { hints: answers.map(({ params }) => params['text']), effects: others.map(({ method }) => method) };
}

/** Tables that the inbox changes on its own: leases, heartbeats and handled updates. */
const LIVELY = new Set(['update_workers', 'chat_queue_owners', 'updates']);

/** Hashes all rows of the database, one hash for each table. */
async function fingerprint(): Promise<unknown> {
  // Usage of earlier answers is written within half a second.
  await harness.usage.flush();
  const tables = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .filter((table) => !LIVELY.has(getTableName(table)));
  const prints = tables.map(
    (table) =>
      sql`select ${getTableName(table)}::text as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as print from ${table} t`,
  );
  const found = sql`(${sql.join(prints, sql` union all `)}) prints`;
  const rows = await harness.db.select({ name: sql<string>`name`, print: sql<string>`print` }).from(found);
  return Object.fromEntries(rows.map(({ name, print }) => [name, print]));
}

async function offer(action: CallbackAction, target: { chatId?: number; inlineMessageId?: string }): Promise<string> {
  const { id: userId } = await harness.accounts.ensureTelegramUser(world.ann.id);
  const [token = ''] = await harness.interactions.storeActions({ userId, chatId: undefined, ...target }, [action]);
  return token;
}

describe('callback actions of every kind are refused elsewhere', () => {
  testByTier(kinds, 4)('%s', async (kind) => {
    const { ann, bob, forumId, messages } = world;
    const isInline = actions.accessOf(kind) === 'inline';
    const data = await offer(sampleOf(kind), isInline ? { inlineMessageId: INLINE_ID } : { chatId: forumId });
    const before = await fingerprint();
    const expects = async (options: Press, hints: readonly string[]) => {
      const outcome = await press(options);
      expect(outcome.effects).toEqual([]);
      expect(outcome.hints).toHaveLength(1);
      expect(hints).toContain(outcome.hints[0]);
    };
    const elsewhere = [en.otherChatButton];
    for (const message of [messages.groupOfAnn, messages.annPrivate]) {
      await expects({ by: ann, data, message }, elsewhere);
      // No server would send this. The stored chat refuses it anyway.
      await expects({ by: ann, data, message: withButton(message, data) }, elsewhere);
    }
    // A member of the forum, in a group he owns and in his private chat.
    for (const message of [messages.groupOfBob, messages.bobPrivate])
      await expects({ by: bob, data, message }, elsewhere);
    await expects({ by: ann, data, inlineMessageId: 'another-message' }, elsewhere);
    for (const message of [messages.sibling, messages.otherTopic])
      await expects({ by: ann, data, message }, isInline ? elsewhere : [en.staleButton]);
    const gone = { chat: messages.menu.chat, message_id: messages.menu.message_id, date: 0 } as const;
    await expects({ by: ann, data, message: gone }, isInline ? elsewhere : [en.staleButton]);
    const chatTopic = isInline ? { inlineMessageId: INLINE_ID } : { message: withButton(messages.menu, data) };
    if (actions.accessOf(kind) !== 'everyone') await expects({ by: bob, data, ...chatTopic }, FOREIGN);
    expect(await fingerprint()).toEqual(before);
  });
});

/** Kinds that are offered in private chats only. */
const PRIVATE: ReadonlySet<CallbackActionKind> = new Set([
  'forget-everything',
  'list-files',
  'search-files',
  'start-announcement',
  'drop-announcement',
  'change-announcement',
  'share-thread',
  'share-thread-now',
  'take-down-file',
  'list-keys',
  'make-key',
  'show-key',
  'rename-key',
  'revoke-key',
  'revoke-key-for-good',
  'show-stats',
  'show-stats-chart',
  'show-month',
  'set-monthly-summary',
  'download-stats',
]);

describe('callback actions of every kind work in their own message', () => {
  test.each(kinds)('%s', async (kind) => {
    const { ann, forumId, messages } = world;
    if (kind === 'use-system-prompt-always') await writeInstructions();
    const isPrivate = PRIVATE.has(kind);
    const chatId = isPrivate ? ann.chatId : forumId;
    const message = isPrivate ? messages.annPrivate : messages.menu;
    const isInline = actions.accessOf(kind) === 'inline';
    const data = await offer(sampleOf(kind), isInline ? { inlineMessageId: INLINE_ID } : { chatId });
    const chatTopic = isInline ? { inlineMessageId: INLINE_ID } : { message: withButton(message, data) };
    const { hints } = await press({ by: ann, data, ...chatTopic });
    expect(hints).toHaveLength(1);
    for (const refusal of [en.otherChatButton, en.staleButton, ...FOREIGN]) expect(hints).not.toContain(refusal);
  });

  /** In the topic of the menu. */
  const writeInstructions = async () => {
    const { message_thread_id: topicId } = world.messages.menu;
    const { id: userId } = await harness.accounts.ensureTelegramUser(world.ann.id);
    const conversation = await harness.conversations.currentConversation({ chatId: world.forumId, topicId }, userId);
    await harness.conversations.setPromptSource(conversation.id, { kind: 'instructions', text: 'Be brief.', userId });
  };
});

describe('a callback action', () => {
  test('stored without a chat works only in the message that has its button', async () => {
    const { ann, messages } = world;
    const data = await offer({ kind: 'show-settings' }, {});
    expect(await press({ by: ann, data, message: messages.groupOfAnn })).toEqual({
      hints: [en.staleButton],
      effects: [],
    });
    expect(await press({ by: ann, data, inlineMessageId: 'x' })).toEqual({ hints: [en.otherChatButton], effects: [] });
    const { hints } = await press({ by: ann, data, message: withButton(messages.annOther, data) });
    expect(hints).toEqual([undefined]);
  });

  test('of an inline question is bound to the first message in which its user presses it', async () => {
    const { ann, bob } = world;
    const data = await offer({ kind: 'answer-inline', question: 'Tea?' }, {});
    expect((await press({ by: bob, data, inlineMessageId: 'of-bob' })).hints).toEqual([en.foreignButton]);
    expect((await press({ by: ann, data, inlineMessageId: 'first' })).hints).toEqual([inlineMode.en.outcomes.begun]);
    expect((await press({ by: ann, data, inlineMessageId: 'second' })).hints).toEqual([en.otherChatButton]);
    expect((await press({ by: ann, data, inlineMessageId: 'first' })).hints).toEqual([inlineMode.en.outcomes.known]);
  });

  test('of another chat is refused in the user’s language', async () => {
    const oleg = harness.user('Олег', 'ru');
    const { id: userId } = await harness.accounts.ensureTelegramUser(oleg.id);
    const [data = ''] = await harness.interactions.storeActions({ userId, chatId: -5 }, [{ kind: 'close-menu' }]);
    const message = withButton(world.messages.bobPrivate, data);
    expect((await press({ by: oleg, data, message, language: 'ru' })).hints).toEqual(['Эта кнопка из другого чата.']);
  });

  test.each([
    ['unknown', 'AAAAAAAAAAAAAAAAAAAAAA'],
    ['empty', ''],
    ['64 arbitrary bytes', '\u0000\uD800'.padEnd(64, '𝒳%_\\')],
    ['a path', '../../etc/passwd'],
    ['JSON', '{"kind":"forget-everything"}'],
  ])('with forged data does nothing: %s', async (_title, data) => {
    const zoe = harness.user('Zoe');
    await harness.accounts.ensureTelegramUser(zoe.id);
    const before = await fingerprint();
    const message = withButton(
      { ...world.messages.annOther, chat: { ...world.messages.annOther.chat, id: zoe.chatId } },
      data,
    );
    expect(await press({ by: zoe, data, message })).toEqual({ hints: [en.staleButton], effects: [] });
    expect(await fingerprint()).toEqual(before);
  });

  test('of a group still works after it became a supergroup, below old and new messages', async () => {
    const ann = harness.user('Ann');
    const { id: groupId } = harness.telegram.createChat({ type: 'group', title: 'Small', memberIds: [ann.id] });
    harness.telegram.sendMessage(groupId, { text: '@switch_bot One', from: ann.id });
    const { message: old } = await harness.sees(groupId, 'You said: One');
    await harness.settles(groupId);
    const { id: supergroupId } = harness.telegram.upgradeGroup(groupId);
    await harness.hasHandledAll();
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    const conversation = await harness.conversations.findCurrentConversation({
      chatId: supergroupId,
      topicId: undefined,
    });
    const answer = await harness.conversations.findLatestMessage(conversation?.id ?? 0);
    const answerId = answer?.id ?? 0;
    // Offered to the group: an answer that was running during the upgrade has such buttons in the supergroup.
    const [again = '', describe = ''] = await harness.interactions.storeActions({ userId, chatId: groupId }, [
      { kind: 'regenerate', answerId },
      { kind: 'describe-variant', answerId },
    ]);
    const moved = { ...old, chat: { ...world.messages.menu.chat, id: supergroupId }, message_id: 7 } as Message;
    const described = await press({ by: ann, data: describe, message: withButton(moved, describe) });
    expect(described.hints).toEqual([answerButtons.en.variant(1, 1, 'basic')]);
    const elsewhere = await press({ by: ann, data: again, message: withButton(world.messages.groupOfAnn, again) });
    expect(elsewhere.hints).toEqual([en.otherChatButton]);
    const { hints } = await press({ by: ann, data: again, message: withButton(old as Message, again) });
    expect(hints).toEqual([answerButtons.en.anotherOne]);
    await harness.sees(supergroupId, 'You said: One');
    await harness.settles(supergroupId);
  });
});

test('group settings can be changed by admins of this group, not by those of another group', async () => {
  const { bob, forumId, messages } = world;
  for (const kind of actions.kinds.filter((one) => actions.accessOf(one) === 'group-admins')) {
    const data = await offer(sampleOf(kind), { chatId: forumId });
    expect((await press({ by: bob, data, message: messages.groupOfBob })).hints).toEqual([en.otherChatButton]);
    expect((await press({ by: bob, data, message: withButton(messages.menu, data) })).hints).toEqual([
      en.groups.onlyAdmins,
    ]);
  }
});
