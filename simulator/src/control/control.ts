import type { Update } from '@grammyjs/types';
import type { CallLog, LoggedCall } from '../bot-api/call-log.ts';
import type { Faults } from '../bot-api/faults.ts';
import type {
  BotMembership,
  BotSettings,
  BotView,
  ButtonPress,
  ButtonPressed,
  ChatMessage,
  ChatView,
  ControlEvent,
  ControlState,
  DraftView,
  Fault,
  GroupUpgrade,
  InlineChoice,
  InlineRequest,
  InlineRequested,
  MemberChange,
  MessageEdit,
  NewChat,
  NewMessage,
  NewPerson,
  NewTopic,
  Person,
  PersonChange,
  Reaction,
  TopicDeletion,
} from '../control-protocol.ts';
import {
  changePerson,
  createChat,
  createPerson,
  findChat,
  listChats,
  publishBot,
  publishChat,
} from '../world/chats.ts';
import { endDraft } from '../world/drafts.ts';
import type { StoredFile } from '../world/file-store.ts';
import { setBotStatus, setMembership } from '../world/members.ts';
import { clearHistory, deleteMessages, listSeen } from '../world/messages.ts';
import { createTopic, deleteTopic, setPrivateTopics } from '../world/topics.ts';
import { upgradeGroup } from '../world/upgrade-group.ts';
import { toApiChat, toApiUser, toBotView, toChatMessage, toChatView, toDraftView } from '../world/views.ts';
import type { Bot, BotStatus, Chat, World } from '../world/world.ts';
import { ControlFailure, invalid, notFound } from './control-failure.ts';
import { askInline, chooseInlineResult } from './inline-mode.ts';
import { pressButton } from './press-button.ts';
import { choosePerson, editAsPerson, findMessage, type NewFile, react, sendFile, sendText } from './write-as-person.ts';

/**
 * Control API in process, with the same operations as the control routes. `botId` selects one of several bots; default
 * is the first.
 * All methods throw ControlFailure if the operation is not possible.
 */
export interface Control {
  createPerson(person: NewPerson): Person;
  changePerson(personId: number, change: PersonChange): Person;
  createChat(chat: NewChat, botId?: number): ChatView;
  sendMessage(chatId: number, message: NewMessage, botId?: number): ChatMessage;
  sendFile(chatId: number, file: NewFile, botId?: number): ChatMessage;
  editMessage(chatId: number, messageId: number, edit: MessageEdit, botId?: number): ChatMessage;
  deleteMessage(chatId: number, messageId: number, botId?: number): void;
  pressButton(chatId: number, messageId: number, press: ButtonPress, botId?: number): ButtonPressed;
  react(chatId: number, messageId: number, reaction: Reaction, botId?: number): ChatMessage;
  stopDraft(chatId: number, draftId: string, botId?: number): void;
  changeBot(chatId: number, membership: BotMembership, botId?: number): ChatView;
  changeMember(chatId: number, change: MemberChange, botId?: number): ChatView;
  /** @returns the supergroup */
  upgradeGroup(chatId: number, upgrade?: GroupUpgrade, botId?: number): ChatView;
  /** Deletes a basic group, or the account of the user in a private chat. Bots can't write there afterwards. */
  deleteChat(chatId: number, botId?: number): ChatView;
  /** Clears the history of a private chat for its user; the bot keeps the messages. */
  clearHistory(chatId: number, botId?: number): void;
  createTopic(topic: NewTopic, botId?: number): ChatView;
  deleteTopic(deletion: TopicDeletion, botId?: number): ChatView;
  askInline(request: InlineRequest, botId?: number): InlineRequested;
  chooseInlineResult(choice: InlineChoice, botId?: number): ChatMessage;
  configureBot(settings: BotSettings, botId?: number): BotView;
  injectFault(fault: Fault): void;
  clearFaults(): void;
  /** Returns the initial state of the page, for the first bot. */
  state(): ControlState;
  /** Returns all existing messages of a chat, oldest first. */
  transcript(chatId: number, botId?: number): ChatMessage[];
  /** Returns the active drafts of a chat. */
  drafts(chatId: number, botId?: number): DraftView[];
  /**
   * Returns the newest 2000 calls of all bots, oldest first, or only those of one method. Polls (`getUpdates`) are
   * listed only if named, and only once they have a response.
   */
  calls(method?: string): LoggedCall[];
  /** Returns the updates that are queued for the bot. */
  pendingUpdates(botId?: number): readonly Update[];
  readFile(fileId: string): { readonly file: StoredFile; readonly bytes: Buffer };
  /** Calls `listener` with every event until the returned function is called. */
  subscribe(listener: (event: ControlEvent) => void): () => void;
  /**
   * Resolves with the first truthy result of `look`, which is called now, after every event and after every update
   * queued for a bot.
   * @throws an Error after `timeoutMs` (default 5000) on the simulator's clock
   */
  waitFor<Value>(look: () => Value | undefined | false, timeoutMs?: number): Promise<Value>;
}

export interface ControlDeps {
  readonly world: World;
  readonly faults: Faults;
  readonly callLog: CallLog;
}

const STATE_MESSAGES = 200;

export function createControl({ world, faults, callLog }: ControlDeps): Control {
  const bot = (id?: number): Bot => {
    const found = id === undefined ? world.bots[0] : world.bots.find((one) => one.id === id);
    if (!found) throw notFound('bot');
    return found;
  };
  const chat = (id: number, botId?: number): Chat => {
    const found = findChat(world, bot(botId), id);
    if (!found) throw notFound('chat');
    return found;
  };
  const message = (chatId: number, messageId: number, botId?: number) => findMessage(chat(chatId, botId), messageId);
  const view = (chatId: number, botId?: number) => toChatView(chat(chatId, botId), bot(botId));

  return {
    createPerson(person) {
      checkRoom(world);
      return createPerson(world, person);
    },
    changePerson(personId, change) {
      const person = world.people.get(personId);
      if (!person) throw notFound('person');
      return changePerson(world, person, change);
    },
    createChat(request, botId) {
      checkRoom(world);
      return toChatView(createChat(world, bot(botId), request), bot(botId));
    },
    sendMessage: (chatId, request, botId) => toChatMessage(sendText(world, chat(chatId, botId), request)),
    sendFile: (chatId, file, botId) => toChatMessage(sendFile(world, chat(chatId, botId), file)),
    editMessage(chatId, messageId, edit, botId) {
      const stored = message(chatId, messageId, botId);
      editAsPerson(world, stored, edit);
      return toChatMessage(stored);
    },
    deleteMessage(chatId, messageId, botId) {
      deleteMessages(world, chat(chatId, botId), [message(chatId, messageId, botId).body.message_id]);
    },
    pressButton: (chatId, messageId, press, botId) => pressButton(world, message(chatId, messageId, botId), press),
    react(chatId, messageId, reaction, botId) {
      const stored = message(chatId, messageId, botId);
      react(world, stored, reaction);
      return toChatMessage(stored);
    },
    stopDraft: (chatId, draftId, botId) => stopDraft(world, bot(botId), chat(chatId, botId), draftId),
    changeBot(chatId, membership, botId) {
      changeBot(world, bot(botId), chat(chatId, botId), membership);
      return view(chatId, botId);
    },
    changeMember(chatId, { action, personId }, botId) {
      if (chat(chatId, botId).type === 'private') throw invalid('users cannot join or leave a private chat');
      setMembership(world, chat(chatId, botId), personId, action === 'join');
      return view(chatId, botId);
    },
    upgradeGroup(chatId, { from } = {}, botId) {
      const group = chat(chatId, botId);
      if (group.type !== 'group') throw invalid(`a ${group.type} chat can't become a supergroup`);
      if (group.upgradedToId !== undefined)
        throw new ControlFailure(409, 'upgraded', 'the group is a supergroup already');
      return toChatView(upgradeGroup(world, group, toApiUser(choosePerson(world, group, from))), bot(botId));
    },
    deleteChat(chatId, botId) {
      const deleted = chat(chatId, botId);
      if (deleted.type !== 'private' && deleted.type !== 'group')
        throw invalid(`a ${deleted.type} can't be deleted here`);
      deleted.isDeleted = true;
      publishChat(world, deleted);
      return view(chatId, botId);
    },
    clearHistory(chatId, botId) {
      const cleared = chat(chatId, botId);
      if (cleared.type !== 'private') throw invalid('only private chats can be cleared');
      clearHistory(world, cleared);
    },
    createTopic({ chatId, name, isNameImplicit, from }, botId) {
      const place = chat(chatId, botId);
      if (!place.isForum) throw invalid('the chat has no topics');
      createTopic(world, place, { name, isNameImplicit, from: toApiUser(choosePerson(world, place, from)) });
      return view(chatId, botId);
    },
    deleteTopic({ chatId, topicId }, botId) {
      const place = chat(chatId, botId);
      const topic = place.topics.get(topicId);
      if (!topic) throw notFound('topic');
      deleteTopic(world, place, topic);
      return view(chatId, botId);
    },
    askInline: (request, botId) =>
      askInline(world, bot(botId), request, request.chatId === undefined ? undefined : chat(request.chatId, botId)),
    chooseInlineResult: (choice, botId) =>
      toChatMessage(chooseInlineResult(world, bot(botId), choice, chat(choice.chatId, botId))),
    configureBot({ privacyMode, inlineFeedback, privateTopics }, botId) {
      const configured = bot(botId);
      if (privacyMode !== undefined) configured.privacyMode = privacyMode;
      if (inlineFeedback !== undefined) configured.inlineFeedback = inlineFeedback;
      if (privateTopics !== undefined) setPrivateTopics(world, configured, privateTopics);
      publishBot(world, configured);
      return toBotView(configured);
    },
    injectFault: (fault) => faults.inject(fault),
    clearFaults: () => faults.clear(),
    state: () => toState(world, bot()),
    transcript: (chatId, botId) => [...chat(chatId, botId).messages.values()].map(toChatMessage),
    drafts: (chatId, botId) => toDraftViews(chat(chatId, botId)),
    calls: (method) => callLog.list(method),
    pendingUpdates: (botId) => bot(botId).updates.list(),
    readFile(fileId) {
      const file = world.files.find(fileId);
      const bytes = world.files.read(fileId);
      if (!file || !bytes) throw notFound('file');
      return { file, bytes };
    },
    subscribe: (listener) => world.events.subscribe(listener),
    waitFor: (look, timeoutMs = 5000) => waitFor(world, look, timeoutMs),
  };
}

const MOST_PEOPLE_AND_CHATS = 20_000;

function checkRoom(world: World): void {
  if (world.people.size + world.chats.size < MOST_PEOPLE_AND_CHATS) return;
  throw new ControlFailure(409, 'too_many', 'there are too many people and chats already');
}

function toState(world: World, bot: Bot): ControlState {
  const chats = listChats(world, bot);
  return {
    cursor: world.events.cursor,
    bot: toBotView(bot),
    bots: world.bots.map(toBotView),
    people: [...world.people.values()],
    chats: chats.map((chat) => toChatView(chat, bot)),
    messages: Object.fromEntries(
      chats.map((chat) => [chat.id, listSeen(chat).slice(-STATE_MESSAGES).map(toChatMessage)]),
    ),
    drafts: chats.flatMap(toDraftViews),
  };
}

function toDraftViews(chat: Chat): DraftView[] {
  return [...chat.drafts.values()].map((draft) => toDraftView(chat, draft));
}

/** Stops a draft on behalf of the user. */
function stopDraft(world: World, bot: Bot, chat: Chat, draftId: string): void {
  const draft = [...chat.drafts.values()].find((one) => one.draftId === draftId);
  if (!draft) throw notFound('draft');
  if (!draft.canStop) throw new ControlFailure(409, 'not_stoppable', 'the bot offers no stop button');
  if (!draft.keepOnStop) endDraft(world, chat, draft.topicId);
  const place = toApiChat(world, chat);
  if (place.type !== 'private') throw invalid('drafts are in private chats only');
  bot.updates.push('stopped_message_generation', (updateId) => {
    const update: Update = { update_id: updateId };
    const stopped = {
      chat: place,
      ...(draft.topicId === undefined ? {} : { message_thread_id: draft.topicId }),
      // On the wire the id is a string, contrary to the documentation: ids may exceed the safe integers of JSON
      // numbers.
      draft_id: draft.draftId,
    };
    return Object.assign(update, { stopped_message_generation: stopped });
  });
}

const STATUS_AFTER: { readonly [action in BotMembership['action']]: BotStatus } = {
  block: 'blocked',
  unblock: 'member',
  add: 'member',
  remove: 'kicked',
  promote: 'administrator',
  demote: 'member',
};

function changeBot(world: World, bot: Bot, chat: Chat, { action, from, rights }: BotMembership): void {
  const isForPrivate = action === 'block' || action === 'unblock';
  if (isForPrivate !== (chat.type === 'private')) throw invalid(`${action} makes no sense in a ${chat.type} chat`);
  const by = toApiUser(choosePerson(world, chat, from));
  chat.botRights.set(bot.id, rights ?? {});
  setBotStatus(world, { chat, bot, status: STATUS_AFTER[action], by });
}

function waitFor<Value>(world: World, look: () => Value | undefined | false, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const check = () => {
      try {
        const value = look();
        if (value === undefined || value === false) return;
        finish();
        resolve(value);
      } catch (error) {
        finish();
        reject(error);
      }
    };
    const sources = [world.events, ...world.bots.map((bot) => bot.updates)];
    const subscriptions = sources.map((source) => source.subscribe(check));
    const cancelTimer = world.clock.setTimer(timeoutMs, () => {
      finish();
      reject(new Error(`what was waited for did not happen within ${timeoutMs} ms`));
    });
    const finish = () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      cancelTimer();
    };
    check();
  });
}
