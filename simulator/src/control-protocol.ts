/**
 * JSON protocol of the simulator's control routes, which act for the users and their Telegram apps.
 *
 * Routes, relative to the mount point of the `playground` plugin. Requests and responses are JSON in camelCase;
 * objects of the Bot API (messages, entities, keyboards) are included unchanged, in snake_case.
 *
 * | route | request -> response |
 * | --- | --- |
 * | `GET control/state` | -> `ControlState` |
 * | `GET control/events?after=<sequence>` | -> server-sent events: `id: <sequence>`, `data: <ControlEvent>`; without `after` (or `Last-Event-ID`) only new events; a comment every 15 s |
 * | `POST control/people` | `NewPerson` -> `Person` |
 * | `POST control/people/:personId` | `PersonChange` -> `Person` |
 * | `POST control/chats` | `NewChat` -> `ChatView` |
 * | `POST control/chats/:chatId/messages` | `NewMessage`, or multipart (see `NewFileMessage`) -> `ChatMessage` |
 * | `POST control/chats/:chatId/messages/:messageId/edit` | `MessageEdit` -> `ChatMessage` |
 * | `POST control/chats/:chatId/messages/:messageId/delete` | `{}` -> `Done` |
 * | `POST control/chats/:chatId/messages/:messageId/press` | `ButtonPress` -> `ButtonPressed` |
 * | `POST control/chats/:chatId/messages/:messageId/react` | `Reaction` -> `ChatMessage` |
 * | `POST control/chats/:chatId/drafts/:draftId/stop` | `{}` -> `Done` |
 * | `POST control/chats/:chatId/bot` | `BotMembership` -> `ChatView` |
 * | `POST control/chats/:chatId/members` | `MemberChange` -> `ChatView` |
 * | `POST control/chats/:chatId/upgrade` | `GroupUpgrade` -> `ChatView` of the supergroup that the group has become |
 * | `POST control/chats/:chatId/clear` | `{}` -> `Done`; clears the history of a private chat for its user, the bot keeps it |
 * | `POST control/chats/:chatId/delete` | `{}` -> `ChatView`; deletes a basic group, or the account of the user in a private chat |
 * | `POST control/topics` | `NewTopic` -> `ChatView` |
 * | `POST control/topics/delete` | `TopicDeletion` -> `ChatView` |
 * | `POST control/inline` | `InlineRequest` -> `InlineRequested`; the results come as event `inline-answer` |
 * | `POST control/inline/choose` | `InlineChoice` -> `ChatMessage` |
 * | `POST control/bot` | `BotSettings` -> `BotView` |
 * | `GET control/files/:fileId` | -> the content; `fileId` is any `file_id` in a message |
 * | `POST control/faults` | `Fault` -> `Done`; `DELETE control/faults` removes all |
 *
 * On routes with a chat, `?bot=<bot id>` selects one of several bots; default is the first.
 * Errors: a 4xx status with `ControlError`. Writes must be same-origin, with `Content-Type: application/json` or
 * multipart.
 */
import type {
  ForceReply,
  InlineQueryResult,
  InlineQueryResultsButton,
  Message,
  MessageEntity,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
  RichBlock,
} from '@grammyjs/types';

/** Initial state of a page; later changes arrive as events after `cursor`. */
export interface ControlState {
  /** Sequence of the last event in this state: pass it as `after` to `control/events`. */
  readonly cursor: number;
  /** First of `bots`: the one that the page uses. */
  readonly bot: BotView;
  readonly bots: readonly BotView[];
  readonly people: readonly Person[];
  readonly chats: readonly ChatView[];
  /** Messages by chat id (as a string key), oldest first, at most the last 200 of each chat. */
  readonly messages: { readonly [chatId: string]: readonly ChatMessage[] };
  /** Active drafts. */
  readonly drafts: readonly DraftView[];
}

export interface BotView {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  /** Text of an empty chat. */
  readonly description: string;
  readonly shortDescription: string;
  /** All command sets of the bot, most general first. */
  readonly commandSets: readonly CommandSet[];
  /** In groups with privacy mode, the bot gets only commands and replies to it. */
  readonly privacyMode: boolean;
  readonly inlineMode: boolean;
  /** Whether its private chats have topics. */
  readonly privateTopics: boolean;
}

export interface CommandSet {
  /**
   * Scope type of `BotCommandScope`: `default`, `all_private_chats`, `all_group_chats`, `all_chat_administrators`,
   * `chat`, …
   */
  readonly scope: string;
  /** With scope `chat`, `chat_administrators` and `chat_member`. */
  readonly chatId?: number;
  /** With scope `chat_member`. */
  readonly userId?: number;
  /** Two letters, or empty for all other languages. */
  readonly languageCode: string;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

export interface Person {
  /** Telegram user id; also the id of their private chat. */
  readonly id: number;
  readonly firstName: string;
  readonly lastName?: string;
  /** Without the `@`. */
  readonly username?: string;
  /** IETF tag such as `en`, `ru`. */
  readonly languageCode: string;
}

/** A chat as its members see it. */
export interface ChatView {
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  /** Title of a group, or name of the user. */
  readonly title: string;
  readonly username?: string;
  /** True for a forum, or a private chat with topics. */
  readonly isForum: boolean;
  /** Ids of the users in the chat, without bots. */
  readonly memberIds: readonly number[];
  /** Status of the bot: `blocked` only in private chats, `left` and `kicked` only elsewhere. */
  readonly botStatus: 'member' | 'administrator' | 'left' | 'kicked' | 'blocked';
  readonly topics: readonly TopicView[];
  /** Newest pin last. */
  readonly pinnedMessageIds: readonly number[];
  /** Id of the supergroup that this group has become. The group is read-only then. */
  readonly upgradedToId?: number;
  /** The group, or the account of the user in a private chat, was deleted. */
  readonly isDeleted?: true;
}

interface TopicView {
  /** `message_thread_id`. The General topic of a forum is not listed: its messages have none. */
  readonly id: number;
  readonly name: string;
  readonly isClosed: boolean;
}

/** Message with data that is not in the Bot API's `Message`. */
export interface ChatMessage {
  readonly chatId: number;
  /**
   * Object of the Bot API. `message.from.is_bot` tells whether a bot wrote it; `message.rich_message.blocks` is always
   * filled for rich messages.
   */
  readonly message: Message;
  /** Source of a rich message, as the bot sent it. */
  readonly richSource?: RichSource;
  /** Reply keyboard of the message (inline keyboards are in `message.reply_markup`). */
  readonly keyboard?: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply;
  readonly reactions: readonly { readonly userId: number; readonly emoji: readonly string[] }[];
  /** Number of edits. */
  readonly edits: number;
}

/** Exactly one field is set. */
export interface RichSource {
  readonly markdown?: string;
  readonly html?: string;
  readonly blocks?: readonly RichBlock[];
}

/** Reply that is being generated (`sendMessageDraft`, `sendRichMessageDraft`). An empty text means "Thinking…". */
export interface DraftView {
  readonly chatId: number;
  readonly topicId?: number;
  /** A string, because draft ids may exceed what a JSON number holds. */
  readonly draftId: string;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly richSource?: RichSource;
  readonly richBlocks?: readonly RichBlock[];
  /** Whether the bot requested a stop button. */
  readonly canStop: boolean;
  /** Expiry in milliseconds since the epoch, followed by the event `draft-ended`. */
  readonly expiresAt: number;
}

export interface NewPerson {
  readonly firstName: string;
  readonly lastName?: string;
  readonly username?: string;
  /** Default `en`. */
  readonly languageCode?: string;
}

/** Changes of a user's app settings; omitted fields are kept. */
export interface PersonChange {
  /** IETF tag such as `en`, `ru`. */
  readonly languageCode?: string;
}

export interface NewChat {
  /** `forum` makes a supergroup with topics. */
  readonly type: 'private' | 'group' | 'supergroup' | 'forum' | 'channel';
  /** Not for private chats. */
  readonly title?: string;
  /** Public name without the `@`; supergroups, forums and channels only. */
  readonly username?: string;
  /** Whether messages can't be forwarded or copied; not for private chats. Default false. */
  readonly protectsContent?: boolean;
  /**
   * Users in it. A private chat takes one: the id of an existing user, or a new user; if omitted, a new user is
   * created. Groups take any number; if omitted, all known users are added.
   */
  readonly memberIds?: readonly number[];
  readonly person?: NewPerson;
  /** Private chats only: topics enabled. Default as the bot has it, normally false. */
  readonly topics?: boolean;
  /** Status of the bot. Default `member`; channels `administrator`. Ignored in private chats. */
  readonly botStatus?: 'member' | 'administrator' | 'left';
}

export interface NewMessage {
  /** Author. Default: the chat's first member. Channel posts have no author. */
  readonly from?: number;
  /** Empty if `blocks` are given. */
  readonly text: string;
  /** Makes it a rich message, as users with Premium can send them. */
  readonly blocks?: readonly RichBlock[];
  /**
   * Passes `blocks` on as they are, also if they do not match the Bot API: to test how a bot reads what Telegram may add
   * or change. Default false.
   */
  readonly hasUncheckedBlocks?: boolean;
  /**
   * Formatting applied by the user; commands, mentions, links, hashtags and e-mail addresses are detected in any case.
   */
  readonly entities?: readonly MessageEntity[];
  /** Message id. */
  readonly replyTo?: number;
  readonly topicId?: number;
}

/**
 * Fields of a multipart message, all but `file` optional. `kind` default: `photo` for image/jpeg and image/png, `voice`
 * for audio/ogg, `audio` for other audio, `video` for video/mp4, else `document`. At most 50 MB.
 * Fields must precede the file.
 */
export interface NewFileMessage {
  readonly from?: string;
  readonly kind?: FileKind;
  readonly caption?: string;
  readonly replyTo?: string;
  readonly topicId?: string;
  /** Any text, equal for all files of one album. The files are sent one after another. */
  readonly mediaGroupId?: string;
  /** Duration of a recording. Default 0. */
  readonly durationSeconds?: string;
  readonly file: Blob;
}

export type FileKind = 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'video_note' | 'sticker';

export interface MessageEdit {
  /** New text, or new caption of a message with a file. */
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
}

/**
 * Inline button, by row and column in `message.reply_markup.inline_keyboard` or (any keyboard) by its callback data.
 */
export interface ButtonPress {
  /** User who presses. Default: the chat's first member. */
  readonly from?: number;
  readonly row?: number;
  readonly column?: number;
  readonly data?: string;
}

export interface ButtonPressed {
  /**
   * Id of the event `callback-answer` with the bot's answer. Undefined for buttons that the app handles itself (links,
   * copying).
   */
  readonly callbackQueryId?: string;
  /** URL of a link button. */
  readonly url?: string;
  readonly copiedText?: string;
}

export interface Reaction {
  readonly from?: number;
  /** All emoji of the user's reaction; an empty list removes it. */
  readonly emoji: readonly string[];
}

/**
 * Change of the bot's status in a chat. `block` and `unblock` are for private chats, the others for groups and
 * channels.
 */
export interface BotMembership {
  readonly action: 'block' | 'unblock' | 'add' | 'remove' | 'promote' | 'demote';
  /** User who makes the change. Default: the chat's first member. */
  readonly from?: number;
  /** With `promote`: the bot's administrator rights. Default: all. */
  readonly rights?: BotRights;
}

/** Rights of a bot that is an administrator of a channel. Default of each: true. */
export interface BotRights {
  readonly canPostMessages?: boolean;
  readonly canEditMessages?: boolean;
  readonly canDeleteMessages?: boolean;
}

export interface MemberChange {
  readonly action: 'join' | 'leave';
  readonly personId: number;
}

export interface NewTopic {
  readonly chatId: number;
  readonly name: string;
  /** The name was generated by the app; the bot should replace it. */
  readonly isNameImplicit?: boolean;
  readonly from?: number;
}

/** Deletion of a topic with all its messages. */
export interface TopicDeletion {
  readonly chatId: number;
  readonly topicId: number;
}

export interface GroupUpgrade {
  /** User who makes the change. Default: the chat's first member. */
  readonly from?: number;
}

export interface InlineRequest {
  readonly from: number;
  /** At most 256 characters. */
  readonly query: string;
  readonly offset?: string;
  /** Chat in which the query is typed; the bot gets its type. */
  readonly chatId?: number;
}

export interface InlineRequested {
  readonly inlineQueryId: string;
}

/** Choice of one of the results, sent to a chat as the user who made the query. */
export interface InlineChoice {
  readonly inlineQueryId: string;
  readonly resultId: string;
  readonly chatId: number;
  readonly topicId?: number;
}

/** File of an inline result. */
export interface InlineFile {
  /** For `GET control/files/:fileId`. */
  readonly fileId: string;
  readonly kind: FileKind;
  readonly name?: string;
}

export interface BotSettings {
  readonly privacyMode?: boolean;
  /** Whether the bot gets `chosen_inline_result`. */
  readonly inlineFeedback?: boolean;
  /** Whether its private chats have topics, including existing ones. */
  readonly privateTopics?: boolean;
}

/** Fault injected into the bot's calls, or into its file downloads. */
export interface Fault {
  /** Bot API method (case-insensitive), or `*` for all; `file` for the download of a file. */
  readonly method: string;
  /** Number of calls affected. Default 1. */
  readonly times?: number;
  /**
   * Matching calls to let through before the first one affected, including those affected by other faults. Default 0.
   */
  readonly skip?: number;
  /** Required parameter values (compared as strings), such as `{"chat_id": 42}`. */
  readonly match?: { readonly [parameter: string]: string | number | boolean };
  readonly kind: FaultKind;
}

export type FaultKind =
  /** 429 without effect. */
  | { readonly type: 'flood'; readonly retryAfterSeconds: number }
  /**
   * Error response. `description` defaults by status. `takesEffect` default false.
   * `isPage`: the body is an HTML page, as from a proxy in front of the Bot API.
   */
  | {
      readonly type: 'error';
      readonly status: number;
      readonly description?: string;
      readonly takesEffect?: boolean;
      readonly isPage?: boolean;
    }
  /** No response until the client disconnects or the simulator closes. `takesEffect` default false. */
  | { readonly type: 'no-answer'; readonly takesEffect?: boolean }
  /** The socket is reset before the method takes effect. */
  | { readonly type: 'reset-before' }
  /** The method takes effect, then the socket is reset: the response is lost. */
  | { readonly type: 'reset-after' }
  /** The response is delayed; the method takes effect at once. */
  | { readonly type: 'slow'; readonly delayMs: number }
  /** 200 with a body that is not JSON; the method takes effect. */
  | { readonly type: 'garbage' }
  /** The message named by the call is deleted just before the call. */
  | { readonly type: 'message-vanishes' }
  /**
   * The message that the call replies to is deleted on Telegram's servers just before the call, but still known to the
   * Bot API server: later replies to it are refused with REPLY_MESSAGE_ID_INVALID, even with
   * `allow_sending_without_reply`.
   */
  | { readonly type: 'reply-target-vanishes' }
  /** The topic named by the call, or that of the message it names, is deleted just before the call. */
  | { readonly type: 'topic-vanishes' }
  /** Just before the call, the bot is blocked in a private chat, or removed from any other chat, permanently. */
  | { readonly type: 'bot-blocked' }
  /** The group named by the call becomes a supergroup just before the call. */
  | { readonly type: 'group-upgraded' }
  /** For downloads, like the following kinds. The connection breaks after half of the promised bytes. */
  | { readonly type: 'truncated' }
  /** Half of the file is sent as if it were complete. */
  | { readonly type: 'short' }
  /** One byte in the middle is changed. */
  | { readonly type: 'corrupted' }
  /** All bytes are replaced; the length is kept. */
  | { readonly type: 'swapped' }
  /** The whole file is sent despite a `Range` header. */
  | { readonly type: 'whole-file' };

export interface Done {
  readonly ok: true;
}

export interface ControlError {
  readonly error: { readonly code: string; readonly message: string };
}

/** One change. `sequence` grows by one with every event. */
export type ControlEvent = { readonly sequence: number } & ControlEventBody;

export type ControlEventBody =
  /** New message. A final message of the bot also ends the drafts of its chat and topic. */
  | { readonly type: 'message'; readonly message: ChatMessage }
  /** Edit, new keyboard or reaction: replaces the message with the same id. */
  | { readonly type: 'message-changed'; readonly message: ChatMessage }
  | { readonly type: 'messages-deleted'; readonly chatId: number; readonly messageIds: readonly number[] }
  /** New or longer draft: replaces the draft with the same chat and id, or another draft of the same chat and topic. */
  | { readonly type: 'draft'; readonly draft: DraftView }
  | { readonly type: 'draft-ended'; readonly chatId: number; readonly draftId: string }
  /** "typing…": shown until `expiresAt` (milliseconds since the epoch) or the bot's next message in the chat. */
  | {
      readonly type: 'chat-action';
      readonly chatId: number;
      readonly topicId?: number;
      readonly action: string;
      readonly expiresAt: number;
    }
  | {
      readonly type: 'callback-answer';
      readonly callbackQueryId: string;
      readonly personId: number;
      readonly chatId?: number;
      readonly text?: string;
      readonly showAlert: boolean;
      readonly url?: string;
    }
  | {
      readonly type: 'inline-answer';
      readonly inlineQueryId: string;
      readonly results: readonly InlineQueryResult[];
      /** Files of the results by result id. */
      readonly files: { readonly [resultId: string]: InlineFile };
      /** Button above the results, which opens the private chat with the bot. */
      readonly button?: InlineQueryResultsButton;
      /** Offset of the next results; empty if there are no more. */
      readonly nextOffset: string;
    }
  /** New chat, or a change of title, members, topics, pins or the bot's status. */
  | { readonly type: 'chat'; readonly chat: ChatView }
  | { readonly type: 'person'; readonly person: Person }
  /** Change of a bot's name, descriptions, commands or settings. */
  | { readonly type: 'bot'; readonly bot: BotView }
  /** `after` is too old (or from another run): load `control/state` again. The stream continues with new events. */
  | { readonly type: 'reset' };
