import { like } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import type { ChatOwner } from '../../src/core/conversations/index.ts';
import type { TaskOwner } from '../../src/core/tasks/index.ts';
import { BUILT_IN_TOOLS } from '../../src/core/tools/index.ts';
import { messages, tasks } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { Actor } from '../support/harness/users.ts';
import { createModelEntry, toToolCallPart } from '../support/hosts/scripted-models.ts';

/** Who owns a secret. Each is a user or a group. */
const OWNERS = ['Ann', 'Bob', 'Friends', 'Forum', 'Quiet'] as const;
type Owner = (typeof OWNERS)[number];

let harness: BotHarness;
let deps: GivenServices;
let ann: Actor;
let bob: Actor;
let groups: Record<'Friends' | 'Forum' | 'Quiet' | 'Elsewhere', number>;
let topicId: number;

const toSecret = (owner: Owner) => `secret-of-${owner.toLowerCase()}`;
/** Word of a text in the owner's library. */
const toStored = (owner: Owner) => `stored-by-${owner.toLowerCase()}`;
/** Text of a task that a user has made in the chat of an owner. */
const toPlanned = (owner: Owner, user: string) => `planned-by-${user.toLowerCase()}-in-${owner.toLowerCase()}`;

beforeAll(async () => {
  harness = await createBotHarness({
    models: ['basic', 'other'].map((id) => createModelEntry(id)),
    tools: { builtIn: BUILT_IN_TOOLS },
    privateTopics: true,
    change: (made) => {
      deps = made;
      return made;
    },
  });
  [ann, bob] = [harness.user('Ann', 'en', { topics: true }), harness.user('Bob', 'en', { topics: true })];
  const memberIds = [ann.id, bob.id];
  const createGroup = (title: string, more: object = {}) =>
    harness.telegram.createChat({ type: 'supergroup', title, memberIds, ...more }).id;
  groups = {
    Friends: createGroup('Friends'),
    Forum: createGroup('Forum', { type: 'forum' }),
    Quiet: createGroup('Quiet'),
    Elsewhere: createGroup('Elsewhere', { botStatus: 'left' }),
  };
  topicId = createTopic(groups.Forum, ann);
  const userIdOf = async ({ id }: Actor) => (await harness.accounts.ensureTelegramUser(id)).id;
  const [annId, bobId] = [await userIdOf(ann), await userIdOf(bob)];
  const owners: Record<Owner, { readonly owner: ChatOwner; readonly authorId: number }> = {
    Ann: { owner: { userId: annId }, authorId: annId },
    Bob: { owner: { userId: bobId }, authorId: bobId },
    Friends: { owner: { groupId: groups.Friends }, authorId: annId },
    Forum: { owner: { groupId: groups.Forum }, authorId: bobId },
    Quiet: { owner: { groupId: groups.Quiet }, authorId: annId },
  };
  for (const name of OWNERS) {
    const { owner, authorId } = owners[name];
    if ('groupId' in owner) await harness.groups.change(owner.groupId, { hasMemory: true });
    const added = await harness.memories.add(owner, { text: toSecret(name), authorId, source: undefined });
    expect(added).toHaveProperty('id');
  }
  await harness.groups.change(groups.Quiet, { hasMemory: undefined });
  for (const name of OWNERS) await addToLibrary(owners[name], toStored(name));
  while ((await harness.library.index(AbortSignal.timeout(60_000))) > 0);
  for (const name of OWNERS) {
    const { owner } = owners[name];
    const users = 'groupId' in owner ? { Ann: annId, Bob: bobId } : { [name]: owner.userId };
    const groupId = 'groupId' in owner ? owner.groupId : undefined;
    for (const [user, userId] of Object.entries(users)) await addTask({ userId, groupId }, toPlanned(name, user));
  }
});
afterAll(() => harness.close());

/** Adds a question to the library of an owner. */
async function addToLibrary(
  { owner, authorId: userId }: { readonly owner: ChatOwner; readonly authorId: number },
  content: string,
): Promise<void> {
  const chatId =
    'groupId' in owner
      ? owner.groupId
      : (userId === (await harness.accounts.ensureTelegramUser(ann.id)).id ? ann : bob).chatId;
  const { id: conversationId } = await harness.conversations.startConversation({ chatId, topicId: undefined }, userId);
  await harness.conversations.addMessage({ conversationId, parentId: undefined, role: 'user', content, userId });
  await harness.conversations.startConversation({ chatId, topicId: undefined }, userId);
}

async function addTask(owner: TaskOwner, prompt: string): Promise<void> {
  const times = { kind: 'once', at: new Date(harness.now() + 86_400_000), timeZone: 'Europe/Berlin' } as const;
  const made = await harness.tasks.create(owner, { kind: 'question', prompt, times, quietWhenNothingNew: false });
  expect(made).toHaveProperty('id');
}

/** Places where a question can be asked, each with the owner whose memory its answers get. */
const PLACES: readonly {
  readonly place: string;
  readonly owner: (asker: 'Ann' | 'Bob') => Owner | undefined;
  /** Owner of the library that its answers search, if another. */
  readonly libraryOwner?: Owner;
  readonly ask: (asker: Actor, question: string) => void | Promise<void>;
}[] = [
  { place: 'the private chat', owner: (asker) => asker, ask: (asker, question) => void asker.writes(question) },
  {
    place: 'a topic of the private chat',
    owner: (asker) => asker,
    ask(asker, question) {
      asker.writes(question, { topicId: createTopic(asker.chatId, asker) });
    },
  },
  { place: 'a group', owner: () => 'Friends', ask: (asker, question) => say(groups.Friends, asker, question) },
  { place: 'a forum', owner: () => 'Forum', ask: (asker, question) => say(groups.Forum, asker, question) },
  {
    place: 'a topic of a forum',
    owner: () => 'Forum',
    ask: (asker, question) => say(groups.Forum, asker, question, { topicId }),
  },
  {
    place: 'a group whose memory is off',
    owner: () => undefined,
    libraryOwner: 'Quiet',
    ask: (asker, question) => say(groups.Quiet, asker, question),
  },
  {
    place: 'a chat without the bot',
    owner: () => undefined,
    ask: (asker, question) => say(groups.Elsewhere, asker, question),
  },
  {
    place: 'inline mode',
    owner: () => undefined,
    async ask(asker, question) {
      const { queryId } = await asker.asksInline(question);
      harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: 'ask', chatId: groups.Elsewhere });
    },
  },
];

function say(chatId: number, asker: Actor, question: string, more: object = {}): void {
  harness.telegram.sendMessage(chatId, { ...more, from: asker.id, text: `@switch_bot ${question}` });
}

function createTopic(chatId: number, { id: from }: Actor): number {
  return harness.telegram.createTopic({ chatId, name: 'Plans', from }).topics.at(-1)?.id ?? 0;
}

/** Returns the owners whose secrets are in the requests that contain the question. */
async function listRevealed(question: string, toText = toSecret): Promise<readonly Owner[]> {
  const find = () =>
    harness.models.requests.map((request) => JSON.stringify(request)).filter((text) => text.includes(question));
  await expect.poll(() => find().length).toBeGreaterThan(0);
  return OWNERS.filter((owner) => find().some((text) => text.includes(toText(owner))));
}

const CASES = PLACES.flatMap((where) => (['Ann', 'Bob'] as const).map((asker) => ({ ...where, asker })));
let questions = 0;

describe('the memory in an answer', () => {
  test.each(CASES)('to $asker in $place is that of its owner', async ({ asker, owner, ask }) => {
    const [question, expected] = [`What do you know? (${questions++})`, owner(asker)];
    await ask(asker === 'Ann' ? ann : bob, question);
    expect(await listRevealed(question)).toEqual(expected === undefined ? [] : [expected]);
  });

  test.each(['Ann', 'Bob'] as const)('to %s in a process that has just started is that of its owner', async (asker) => {
    const replica = createBot(deps);
    await replica.setUp(AbortSignal.timeout(60_000));
    const { id, chatId } = asker === 'Ann' ? ann : bob;
    const question = `What do you know? (${questions++})`;
    const from = { id, is_bot: false, first_name: asker, language_code: 'en' };
    const message = { message_id: 90_000 + questions, date: Math.floor(Date.now() / 1000), from, text: question };
    await replica.handleUpdate({
      update_id: 90_000 + questions,
      message: { ...message, chat: { id: chatId, type: 'private', first_name: asker } },
    });
    expect(await listRevealed(question)).toEqual([asker]);
    await replica.stop();
  });

  test('to an API key does not exist: its requests get what the client sends', async () => {
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    const question = `What do you know? (${questions++})`;
    const request = { model: 'basic', messages: [{ role: 'user' as const, content: question }] };
    const stream = await harness.generation.stream({ userId, keyId: undefined }, request, AbortSignal.timeout(60_000));
    for await (const _ of stream);
    expect(await listRevealed(question)).toEqual([]);
  });
});

describe('the library of an answer', () => {
  test.each(CASES)('to $asker in $place is that of its owner', async ({ asker, owner, libraryOwner, ask }) => {
    const [question, expected] = [`What did I write? (${questions++})`, libraryOwner ?? owner(asker)];
    const reading = (await listAllIds()).map((id) => ({ name: 'read_library', arguments: { id } }));
    harness.models.scripts.push([{ name: 'search_library', arguments: { query: 'stored by' } }, ...reading], 'Done.');
    await ask(asker === 'Ann' ? ann : bob, question);
    await expect.poll(() => harness.models.scripts.length).toBe(0);
    expect(await listRevealed(question, toStored)).toEqual(expected === undefined ? [] : [expected]);
  });
});

describe('the tasks of an answer', () => {
  test.each(CASES)('to $asker in $place are those of its user there', async ({ asker, owner, libraryOwner, ask }) => {
    const [question, expected] = [`What is planned? (${questions++})`, libraryOwner ?? owner(asker)];
    const own = expected === undefined ? [] : [toPlanned(expected, asker)];
    const all = await harness.db.select().from(tasks);
    harness.models.scripts.push([{ name: 'list_tasks', arguments: {} }], 'Done.');
    await ask(asker === 'Ann' ? ann : bob, question);
    await expect.poll(() => harness.models.scripts.length).toBe(0);
    const seen = harness.models.requests
      .map((request) => JSON.stringify(request))
      .filter((one) => one.includes(question));
    expect(all.map(({ prompt }) => prompt).filter((prompt) => seen.join().includes(prompt))).toEqual(own);
  });
});

describe('compared answers', () => {
  test.each(['private', 'group'] as const)('in a %s chat get memory and library of their owner', async (place) => {
    const question = `What do you know? (${questions++})`;
    const carl = place === 'group' ? harness.group(['Carl']).Carl : harness.user('Carl');
    const authorId = (await harness.accounts.ensureTelegramUser(carl.id)).id;
    const owner = place === 'group' ? { groupId: carl.chatId } : { userId: authorId };
    if ('groupId' in owner) await harness.groups.change(owner.groupId, { hasMemory: true });
    await harness.memories.add(owner, { text: 'secret-of-carl', authorId, source: undefined });
    const reading = (await listAllIds()).map((id) => ({ name: 'read_library', arguments: { id } }));
    for (const model of ['basic', 'other'])
      harness.models.scriptsOf.set(model, async (write) => {
        const request = harness.models.requests.findLast((one) => one.model === model);
        const isRead = request?.messages.some(({ role }) => role === 'tool');
        if (isRead) write('Done.');
        else for (const [index, call] of reading.entries()) write('', toToolCallPart(index, call));
        return isRead ? 'stop' : 'tool_calls';
      });
    carl.writes(`/compare@switch_bot ${question}`);
    for (const label of ['basic', 'other', '▶️ Compare (2)']) await carl.presses(label);
    await expect.poll(() => harness.lines(carl.chatId).filter((line) => line.includes('Done.')).length).toBe(2);
    harness.models.scriptsOf.clear();
    const asked = harness.models.requests.filter((request) => JSON.stringify(request).includes(question));
    const texts = asked.map((request) => JSON.stringify(request));
    expect(new Set(asked.map(({ model }) => model))).toEqual(new Set(['basic', 'other']));
    expect(texts.every((text) => text.includes('secret-of-carl'))).toBe(true);
    expect(OWNERS.filter((name) => texts.join().includes(toSecret(name)))).toEqual([]);
    expect(OWNERS.filter((name) => texts.join().includes(toStored(name)))).toEqual([]);
  });
});

test('the direct messages of a channel, which its users do not share, are no group', async () => {
  const chat = { id: -100_777, type: 'supergroup', title: 'News', is_direct_messages: true };
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const text = '/find@switch_bot stored';
  const entities = [{ type: 'bot_command', offset: 0, length: '/find@switch_bot'.length }];
  const before = harness.telegram.calls('sendMessage').length;
  await harness.receives({ message: { message_id: 1, date: 1, chat, from, text, entities } });
  expect(harness.telegram.calls('sendMessage').length).toBe(before);
});

/** Returns the ids of the texts in all libraries. */
async function listAllIds(): Promise<readonly string[]> {
  const rows = await harness.db.select().from(messages).where(like(messages.content, 'stored-by-%'));
  return rows.map(({ id }) => `m${id}`);
}
