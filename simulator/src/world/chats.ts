import type { ControlEventBody, NewChat, NewPerson, Person, PersonChange } from '../control-protocol.ts';
import { toBotView, toChatView } from './views.ts';
import { type Bot, type BotStatus, type Chat, takeNumber, type World } from './world.ts';

const FIRST_PERSON_ID = 1_000_000;
const FIRST_SUPERGROUP_ID = -1_000_000_000_000;

/** Makes a person known. Nobody has a chat with the bot yet. */
export function createPerson(world: World, person: NewPerson): Person {
  const created: Person = {
    id: FIRST_PERSON_ID + takeNumber(world),
    firstName: person.firstName,
    ...(person.lastName === undefined ? {} : { lastName: person.lastName }),
    ...(person.username === undefined ? {} : { username: person.username }),
    languageCode: person.languageCode ?? 'en',
  };
  world.people.set(created.id, created);
  world.events.append({ type: 'person', person: created });
  return created;
}

/** A person changes the language of their app: from now on the bot is told the new one. */
export function changePerson(world: World, person: Person, change: PersonChange): Person {
  const changed: Person = { ...person, ...change };
  world.people.set(changed.id, changed);
  world.events.append({ type: 'person', person: changed });
  return changed;
}

/** Makes a chat. A private chat that is there already is given back. People in it that nobody knows are made up. */
export function createChat(world: World, bot: Bot, request: NewChat): Chat {
  const chat = request.type === 'private' ? createPrivateChat(world, bot, request) : createGroup(world, bot, request);
  publish(world, chat, (viewer) => ({ type: 'chat', chat: toChatView(chat, viewer) }));
  return chat;
}

function createPrivateChat(world: World, bot: Bot, request: NewChat): Chat {
  const person = choosePerson(world, request);
  const key = privateChatKey(bot, person.id);
  const existing = world.chats.get(key);
  if (existing) return existing;
  const title = [person.firstName, person.lastName].filter((name) => name !== undefined).join(' ');
  const chat = newChat({ key, id: person.id, type: 'private', title, isForum: request.topics ?? bot.privateTopics });
  chat.memberIds.add(person.id);
  chat.botStatuses.set(bot.id, 'member');
  world.chats.set(key, chat);
  return chat;
}

function choosePerson(world: World, request: NewChat): Person {
  const id = request.memberIds?.[0];
  const existing = id === undefined ? undefined : world.people.get(id);
  if (existing) return existing;
  return createPerson(world, request.person ?? { firstName: `Person ${world.nextNumber}` });
}

function createGroup(world: World, bot: Bot, request: NewChat): Chat {
  const number = takeNumber(world);
  const type = request.type === 'forum' ? 'supergroup' : request.type;
  const id = type === 'group' ? -number - FIRST_PERSON_ID : FIRST_SUPERGROUP_ID - number;
  const chat = newChat({
    key: String(id),
    id,
    type,
    title: request.title ?? `${request.type} ${number}`,
    ...(request.username === undefined || type === 'group' ? {} : { username: request.username }),
    isForum: request.type === 'forum',
    protectsContent: request.protectsContent ?? false,
  });
  for (const memberId of request.memberIds ?? world.people.keys()) chat.memberIds.add(memberId);
  if (request.person) chat.memberIds.add(createPerson(world, request.person).id);
  chat.botStatuses.set(bot.id, request.botStatus ?? (type === 'channel' ? 'administrator' : 'member'));
  world.chats.set(chat.key, chat);
  return chat;
}

/** A supergroup with the people and bots of a group; its messages begin anew. Nobody is told. */
export function addSupergroupFor(world: World, group: Chat): Chat {
  const id = FIRST_SUPERGROUP_ID - takeNumber(world);
  const chat = newChat({ key: String(id), id, type: 'supergroup', title: group.title, isForum: false });
  chat.description = group.description;
  for (const memberId of group.memberIds) chat.memberIds.add(memberId);
  for (const [botId, status] of group.botStatuses) chat.botStatuses.set(botId, status);
  for (const [botId, rights] of group.botRights) chat.botRights.set(botId, rights);
  world.chats.set(chat.key, chat);
  return chat;
}

type ChatFacts = Pick<Chat, 'key' | 'id' | 'type' | 'title' | 'isForum'> & {
  readonly username?: string;
  readonly protectsContent?: boolean;
};

function newChat(facts: ChatFacts): Chat {
  return {
    ...facts,
    username: facts.username,
    description: '',
    protectsContent: facts.protectsContent ?? false,
    memberIds: new Set(),
    botStatuses: new Map(),
    botRights: new Map(),
    topics: new Map(),
    pinnedMessageIds: [],
    messages: new Map(),
    clearedUpTo: 0,
    drafts: new Map(),
    // Number 1 tells of the chat being made; in a forum it stands for the General topic.
    nextMessageId: 2,
    upgradedToId: undefined,
    isDeleted: false,
    staleMessageIds: new Set(),
  };
}

function privateChatKey(bot: Bot, personId: number): string {
  return `${bot.id}/${personId}`;
}

/** The chat that `bot` means by `id`: its own private chat with a person, or a group or channel. */
export function findChat(world: World, bot: Bot, id: number): Chat | undefined {
  return world.chats.get(id > 0 ? privateChatKey(bot, id) : String(id));
}

/** A public group or channel by its name, with or without the `@`, in any case. */
export function findChatByUsername(world: World, username: string): Chat | undefined {
  const wanted = username.replace(/^@/, '').toLowerCase();
  return [...world.chats.values()].find((chat) => chat.username?.toLowerCase() === wanted);
}

/** Chats that `bot` may have to do with: its private chats, and every group and channel. */
export function listChats(world: World, bot: Bot): Chat[] {
  return [...world.chats.values()].filter((chat) => chat.type !== 'private' || chat.botStatuses.has(bot.id));
}

/** Bots that are in the chat, and not blocked. */
export function listBotsIn(world: World, chat: Chat): Bot[] {
  return world.bots.filter((bot) => isPresent(chat.botStatuses.get(bot.id)));
}

/** True where a bot with this status takes part in the chat. */
function isPresent(status: BotStatus | undefined): boolean {
  return status === 'member' || status === 'administrator';
}

/** Tells the control side what happened in a chat. The page shows the first bot, so private chats of others stay silent. */
export function publish(world: World, chat: Chat, makeEvent: (viewer: Bot) => ControlEventBody): void {
  const viewer = world.bots[0];
  if (!viewer || (chat.type === 'private' && !chat.botStatuses.has(viewer.id))) return;
  world.events.append(makeEvent(viewer));
}

/** Tells the control side that a chat's title, members, topics, pins or bot changed. */
export function publishChat(world: World, chat: Chat): void {
  publish(world, chat, (viewer) => ({ type: 'chat', chat: toChatView(chat, viewer) }));
}

/** Tells the control side that a bot's name, texts, commands or settings changed. */
export function publishBot(world: World, bot: Bot): void {
  world.events.append({ type: 'bot', bot: toBotView(bot) });
}
