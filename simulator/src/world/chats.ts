import type { ControlEventBody, NewChat, NewPerson, Person, PersonChange } from '../control-protocol.ts';
import { toBotView, toChatView } from './views.ts';
import { type Bot, type BotStatus, type Chat, takeNumber, type World } from './world.ts';

const FIRST_PERSON_ID = 1_000_000;
const FIRST_SUPERGROUP_ID = -1_000_000_000_000;

/** Creates a user without any chat. */
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

/** Changes the language of a user's app. Later updates carry the new language. */
export function changePerson(world: World, person: Person, change: PersonChange): Person {
  const changed: Person = { ...person, ...change };
  world.people.set(changed.id, changed);
  world.events.append({ type: 'person', person: changed });
  return changed;
}

/** Creates a chat, or returns an existing private chat. Unknown members are created, too. */
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

/** Creates a supergroup with the members and bots of a group, without messages and without updates. */
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
    // Message 1 announces the creation of the chat; in a forum, it is the General topic.
    nextMessageId: 2,
    upgradedToId: undefined,
    isDeleted: false,
    staleMessageIds: new Set(),
    inviteLinks: new Map(),
    restrictions: new Map(),
  };
}

function privateChatKey(bot: Bot, personId: number): string {
  return `${bot.id}/${personId}`;
}

/** Returns the chat with this id as `bot` sees it: its private chat with a user, or a group or channel. */
export function findChat(world: World, bot: Bot, id: number): Chat | undefined {
  return world.chats.get(id > 0 ? privateChatKey(bot, id) : String(id));
}

/** Returns a public group or channel by username, with or without the `@`, case-insensitive. */
export function findChatByUsername(world: World, username: string): Chat | undefined {
  const wanted = username.replace(/^@/, '').toLowerCase();
  return [...world.chats.values()].find((chat) => chat.username?.toLowerCase() === wanted);
}

/** Returns the private chats of `bot`, and all groups and channels. */
export function listChats(world: World, bot: Bot): Chat[] {
  return [...world.chats.values()].filter((chat) => chat.type !== 'private' || chat.botStatuses.has(bot.id));
}

/** Returns the bots that are members of the chat and not blocked. */
export function listBotsIn(world: World, chat: Chat): Bot[] {
  return world.bots.filter((bot) => isPresent(chat.botStatuses.get(bot.id)));
}

/** Returns true if a bot with this status takes part in the chat. */
function isPresent(status: BotStatus | undefined): boolean {
  return status === 'member' || status === 'administrator';
}

/**
 * Publishes an event of a chat to control clients. The page shows the first bot, so private chats of other bots are
 * skipped.
 */
export function publish(world: World, chat: Chat, makeEvent: (viewer: Bot) => ControlEventBody): void {
  const viewer = world.bots[0];
  if (!viewer || (chat.type === 'private' && !chat.botStatuses.has(viewer.id))) return;
  world.events.append(makeEvent(viewer));
}

/** Publishes a change of a chat's title, members, topics, pins or bot status. */
export function publishChat(world: World, chat: Chat): void {
  publish(world, chat, (viewer) => ({ type: 'chat', chat: toChatView(chat, viewer) }));
}

/** Publishes a change of a bot's name, descriptions, commands or settings. */
export function publishBot(world: World, bot: Bot): void {
  world.events.append({ type: 'bot', bot: toBotView(bot) });
}
