import type {
  BotView,
  ChatMessage,
  ChatView,
  ControlEvent,
  ControlState,
  DraftView,
  Person,
} from '../control-protocol.ts';

/** Chat action of the bot ("typing"). */
interface ChatAction {
  action: string;
  topicId?: number;
  /** Milliseconds since the epoch */
  expiresAt: number;
}

/** State of the page. Changed only by `load`, `apply` and `forgetExpired`. */
export interface PageState {
  bot: BotView;
  people: Map<number, Person>;
  chats: Map<number, ChatView>;
  /** By chat id, then message id, oldest first */
  messages: Map<number, Map<number, ChatMessage>>;
  /** By chat and topic */
  drafts: Map<string, DraftView>;
  /** By chat and topic */
  actions: Map<string, ChatAction>;
}

export type State = ReturnType<typeof createState>;

/** Maximum number of messages kept per chat. */
const MAX_MESSAGES = 1000;
/** Time for which an ended draft is kept, so that the final message can replace it. */
const DRAFT_GRACE_MS = 150;

const placeKey = (chatId: number, topicId: number | undefined) => `${chatId}/${topicId ?? 0}`;

/**
 * Creates the page's copy of the simulator's state, loaded once and updated by events.
 * The rest of the page only reads it and subscribes to changes.
 */
export function createState() {
  let current: PageState | undefined;
  const listeners = new Set<(event: ControlEvent | undefined) => void>();

  const notify = (event: ControlEvent | undefined) => {
    for (const listener of listeners) listener(event);
  };

  return {
    /** State; undefined until the first load. */
    get current() {
      return current;
    },
    /** Calls `listener` after every change: with the event, or without one after a load. */
    subscribe(listener: (event: ControlEvent | undefined) => void) {
      listeners.add(listener);
    },
    /** Replaces the state. */
    load(loaded: ControlState) {
      current = toPageState(loaded);
      notify(undefined);
    },
    apply(event: ControlEvent) {
      if (!current) return;
      reduce(current, event);
      notify(event);
    },
    /**
     * Removes expired chat actions and drafts.
     * @param now milliseconds since the epoch
     * @returns whether anything was removed
     */
    forgetExpired(now: number): boolean {
      if (!current) return false;
      const isGone = [dropExpired(current.actions, now), dropExpired(current.drafts, now)];
      return isGone.includes(true);
    },
  };
}

function dropExpired(entries: Map<string, { expiresAt: number }>, now: number) {
  const expired = [...entries].filter(([, entry]) => entry.expiresAt <= now);
  for (const [key] of expired) entries.delete(key);
  return expired.length > 0;
}

function toPageState(loaded: ControlState): PageState {
  return {
    bot: loaded.bot,
    people: new Map(loaded.people.map((person) => [person.id, person])),
    chats: new Map(loaded.chats.map((chat) => [chat.id, chat])),
    messages: new Map(
      Object.entries(loaded.messages).map(([chatId, messages]) => [
        Number(chatId),
        new Map(messages.map((item) => [item.message.message_id, item])),
      ]),
    ),
    drafts: new Map(loaded.drafts.map((draft) => [placeKey(draft.chatId, draft.topicId), draft])),
    actions: new Map(),
  };
}

function reduce(state: PageState, event: ControlEvent) {
  switch (event.type) {
    case 'message':
      return addMessage(state, event.message);
    case 'message-changed': {
      const messages = state.messages.get(event.message.chatId);
      const id = event.message.message.message_id;
      if (messages?.has(id)) messages.set(id, event.message);
      return;
    }
    case 'messages-deleted':
      for (const id of event.messageIds) state.messages.get(event.chatId)?.delete(id);
      return;
    case 'draft':
      state.drafts.set(placeKey(event.draft.chatId, event.draft.topicId), event.draft);
      return;
    case 'draft-ended':
      for (const [key, draft] of state.drafts) {
        // Kept for a moment: the final message usually follows at once and takes over the draft's element.
        if (draft.chatId === event.chatId && draft.draftId === event.draftId)
          state.drafts.set(key, { ...draft, canStop: false, expiresAt: Date.now() + DRAFT_GRACE_MS });
      }
      return;
    case 'chat-action':
      state.actions.set(placeKey(event.chatId, event.topicId), event);
      return;
    case 'chat':
      state.chats.set(event.chat.id, event.chat);
      return;
    case 'person':
      state.people.set(event.person.id, event.person);
      return;
    case 'bot':
      if (event.bot.id === state.bot.id) state.bot = event.bot;
      return;
    default:
      return;
  }
}

function addMessage(state: PageState, item: ChatMessage) {
  const messages = state.messages.get(item.chatId) ?? new Map();
  state.messages.set(item.chatId, messages);
  messages.set(item.message.message_id, item);
  const oldest = messages.keys().next().value;
  if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest);
  if (item.message.from?.id !== state.bot.id) return;
  const key = placeKey(item.chatId, item.message.message_thread_id);
  state.actions.delete(key);
  state.drafts.delete(key);
}

/** Returns the messages of a chat, oldest first. */
export const messagesOf = (state: PageState, chatId: number): ChatMessage[] => [
  ...(state.messages.get(chatId)?.values() ?? []),
];

export function lastMessageOf(state: PageState, chatId: number) {
  return messagesOf(state, chatId).at(-1);
}

/** Returns the active draft of a chat or topic. */
export const draftOf = (state: PageState, chatId: number, topicId: number | undefined) =>
  state.drafts.get(placeKey(chatId, topicId));

export const actionOf = (state: PageState, chatId: number, topicId: number | undefined) =>
  state.actions.get(placeKey(chatId, topicId));

/** Returns the title as members see it: a private chat has the bot's name. */
export const titleOf = (state: PageState, chat: ChatView) => (chat.type === 'private' ? state.bot.name : chat.title);

/** Returns the id and name that determine the avatar of a chat. */
export const avatarOf = (state: PageState, chat: ChatView) => ({
  id: chat.type === 'private' ? state.bot.id : chat.id,
  name: titleOf(state, chat),
});

/**
 * Returns the commands that Telegram offers a user in a chat: the narrowest scope wins, then the user's language over
 * no language.
 * Source: "Determining list of commands" in the Bot API's documentation of `BotCommandScope`.
 */
export function commandsFor(
  bot: BotView,
  chat: ChatView,
  person: Person,
): readonly { command: string; description: string }[] {
  const isAdministrator = chat.memberIds[0] === person.id;
  const groupScopes = [
    'chat_member',
    ...(isAdministrator ? ['chat_administrators'] : []),
    'chat',
    ...(isAdministrator ? ['all_chat_administrators'] : []),
    'all_group_chats',
    'default',
  ];
  const scopes = chat.type === 'private' ? ['chat', 'all_private_chats', 'default'] : groupScopes;
  const language = person.languageCode.slice(0, 2).toLowerCase();
  for (const scope of scopes) {
    for (const code of [language, '']) {
      const set = bot.commandSets.find(
        (candidate) =>
          candidate.scope === scope &&
          candidate.languageCode === code &&
          (candidate.chatId === undefined || candidate.chatId === chat.id) &&
          (candidate.userId === undefined || candidate.userId === person.id) &&
          candidate.commands.length > 0,
      );
      if (set) return set.commands;
    }
  }
  return [];
}
