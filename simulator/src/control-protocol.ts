/**
 * The JSON protocol of the simulator's control routes: what a person's Telegram app would see and do.
 *
 * Routes, relative to the mount point of the `playground` plugin. Bodies and answers are JSON in camelCase;
 * objects of the Bot API (messages, entities, keyboards) stand in it unchanged, in snake_case.
 *
 * | route | request -> answer |
 * | --- | --- |
 * | `GET control/state` | -> `ControlState` |
 * | `GET control/events?after=<sequence>` | -> server-sent events: `id: <sequence>`, `data: <ControlEvent>`; without `after` (or `Last-Event-ID`) only what is new; a comment every 15 s |
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
 * | `POST control/chats/:chatId/clear` | `{}` -> `Done`; the person of a private chat clears its history on their side, the bot keeps it |
 * | `POST control/chats/:chatId/delete` | `{}` -> `ChatView`; a basic group is deleted, or the account of the person in a private chat |
 * | `POST control/topics` | `NewTopic` -> `ChatView` |
 * | `POST control/topics/delete` | `TopicDeletion` -> `ChatView` |
 * | `POST control/inline` | `InlineRequest` -> `InlineRequested`; the results come as event `inline-answer` |
 * | `POST control/inline/choose` | `InlineChoice` -> `ChatMessage` |
 * | `POST control/bot` | `BotSettings` -> `BotView` |
 * | `GET control/files/:fileId` | -> the bytes; `fileId` is any `file_id` found in a message |
 * | `POST control/faults` | `Fault` -> `Done`; `DELETE control/faults` removes all |
 *
 * Where a route takes a chat, `?bot=<bot id>` chooses among several bots; default is the first.
 * Errors: a 4xx status with `ControlError`. Writes must be same-origin and carry `Content-Type: application/json` or multipart.
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

/** Everything a page needs to draw itself; later changes come as events after `cursor`. */
export interface ControlState {
  /** Sequence of the last event that this state already holds: pass it as `after` to `control/events`. */
  readonly cursor: number;
  /** The first of `bots`: the one the page talks to. */
  readonly bot: BotView;
  readonly bots: readonly BotView[];
  readonly people: readonly Person[];
  readonly chats: readonly ChatView[];
  /** Messages by chat id (as a string key), oldest first, at most the last 200 of each chat. */
  readonly messages: { readonly [chatId: string]: readonly ChatMessage[] };
  /** Drafts that are alive. */
  readonly drafts: readonly DraftView[];
}

export interface BotView {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  /** Shown in an empty chat. */
  readonly description: string;
  readonly shortDescription: string;
  /** Every set of commands that the bot has set, most general first. */
  readonly commandSets: readonly CommandSet[];
  /** With privacy mode on, groups show the bot only commands and replies to it. */
  readonly privacyMode: boolean;
  readonly inlineMode: boolean;
  /** Whether its private chats have topics. */
  readonly privateTopics: boolean;
}

export interface CommandSet {
  /** `default`, `all_private_chats`, `all_group_chats`, `all_chat_administrators`, `chat`, ... as `BotCommandScope` has them. */
  readonly scope: string;
  /** With scope `chat`, `chat_administrators` and `chat_member`. */
  readonly chatId?: number;
  /** With scope `chat_member`. */
  readonly userId?: number;
  /** Two letters, or empty for everybody else. */
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
  /** A group's title, or the person's name. */
  readonly title: string;
  readonly username?: string;
  /** True where the chat has topics (a forum, or a private chat with topics). */
  readonly isForum: boolean;
  /** Ids of the people in it; the bot is not among them. */
  readonly memberIds: readonly number[];
  /** What the bot is here: `blocked` only in private chats, `left` and `kicked` only elsewhere. */
  readonly botStatus: 'member' | 'administrator' | 'left' | 'kicked' | 'blocked';
  readonly topics: readonly TopicView[];
  /** Newest pin last. */
  readonly pinnedMessageIds: readonly number[];
  /** Id of the supergroup that this group has become. Nobody can write here any more. */
  readonly upgradedToId?: number;
  /** The group, or the account of the person in a private chat, was deleted. */
  readonly isDeleted?: true;
}

interface TopicView {
  /** `message_thread_id`. The General topic of a forum is not listed: its messages have none. */
  readonly id: number;
  readonly name: string;
  readonly isClosed: boolean;
}

/** One message with what the Bot API's `Message` does not tell. */
export interface ChatMessage {
  readonly chatId: number;
  /** The Bot API's object. `message.from.is_bot` tells whose it is; `message.rich_message.blocks` is always filled for rich messages. */
  readonly message: Message;
  /** What the bot sent as a rich message, as it wrote it. */
  readonly richSource?: RichSource;
  /** A reply keyboard that came with it (inline keyboards stand in `message.reply_markup`). */
  readonly keyboard?: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply;
  readonly reactions: readonly { readonly userId: number; readonly emoji: readonly string[] }[];
  /** How often it was edited. */
  readonly edits: number;
}

/** Exactly one of the three. */
export interface RichSource {
  readonly markdown?: string;
  readonly html?: string;
  readonly blocks?: readonly RichBlock[];
}

/** A reply being written (`sendMessageDraft`, `sendRichMessageDraft`). Empty text means "Thinking…". */
export interface DraftView {
  readonly chatId: number;
  readonly topicId?: number;
  /** A string, because draft ids may exceed what a JSON number holds. */
  readonly draftId: string;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly richSource?: RichSource;
  readonly richBlocks?: readonly RichBlock[];
  /** Whether the bot asked for a stop button. */
  readonly canStop: boolean;
  /** Milliseconds since the epoch; the draft vanishes then (event `draft-ended`). */
  readonly expiresAt: number;
}

export interface NewPerson {
  readonly firstName: string;
  readonly lastName?: string;
  readonly username?: string;
  /** Default `en`. */
  readonly languageCode?: string;
}

/** What a person changes in their app; what is left out stays. */
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
   * People in it. A private chat takes one: an existing person's id or a new person; left out, a new person is made up.
   * Groups take any number; left out, everybody known is in.
   */
  readonly memberIds?: readonly number[];
  readonly person?: NewPerson;
  /** Private chats only: topics enabled. Default as the bot has it, normally false. */
  readonly topics?: boolean;
  /** What the bot is in it. Default `member`; channels `administrator`. Ignored in private chats. */
  readonly botStatus?: 'member' | 'administrator' | 'left';
}

export interface NewMessage {
  /** Person who writes. Default: the chat's first member. Channel posts have no author. */
  readonly from?: number;
  /** Empty where `blocks` are given. */
  readonly text: string;
  /** Makes it a rich message, as users with Premium can send them. */
  readonly blocks?: readonly RichBlock[];
  /** Formatting the person applied; commands, mentions, links, hashtags, e-mail addresses are found anyway. */
  readonly entities?: readonly MessageEntity[];
  /** Message id. */
  readonly replyTo?: number;
  readonly topicId?: number;
}

/**
 * Fields of a multipart message, all but `file` optional. `kind` default: `photo` for image/jpeg and image/png,
 * `voice` for audio/ogg, `audio` for other audio, `video` for video/mp4, else `document`. At most 50 MB.
 * Fields must stand before the file.
 */
export interface NewFileMessage {
  readonly from?: string;
  readonly kind?: FileKind;
  readonly caption?: string;
  readonly replyTo?: string;
  readonly topicId?: string;
  /** Any text that is the same for the files of one album, sent one after the other. */
  readonly mediaGroupId?: string;
  /** Of a recording. Default 0. */
  readonly durationSeconds?: string;
  readonly file: Blob;
}

export type FileKind = 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'video_note' | 'sticker';

export interface MessageEdit {
  /** New text, or new caption of a message with a file. */
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
}

/** An inline button, by its place in `message.reply_markup.inline_keyboard` or (any keyboard) by its callback data. */
export interface ButtonPress {
  /** Person who presses. Default: the chat's first member. */
  readonly from?: number;
  readonly row?: number;
  readonly column?: number;
  readonly data?: string;
}

export interface ButtonPressed {
  /** The event `callback-answer` with this id is the bot's answer. Undefined for buttons that the app handles itself (links, copying). */
  readonly callbackQueryId?: string;
  /** Where a link button leads. */
  readonly url?: string;
  readonly copiedText?: string;
}

export interface Reaction {
  readonly from?: number;
  /** Emoji that the person's reaction consists of now; empty removes it. */
  readonly emoji: readonly string[];
}

/** What happens between a chat and the bot. `block` and `unblock` are for private chats, the others for groups and channels. */
export interface BotMembership {
  readonly action: 'block' | 'unblock' | 'add' | 'remove' | 'promote' | 'demote';
  /** Who does it. Default: the chat's first member. */
  readonly from?: number;
  /** With `promote`: what the bot may do as an administrator. Default everything. */
  readonly rights?: BotRights;
}

/** Rights of a bot that is an administrator of a channel; what is left out is true. */
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
  /** The app has made the name up, and the bot is to find a better one. */
  readonly isNameImplicit?: boolean;
  readonly from?: number;
}

/** Deletes a topic with all its messages. */
export interface TopicDeletion {
  readonly chatId: number;
  readonly topicId: number;
}

export interface GroupUpgrade {
  /** Who does it. Default: the chat's first member. */
  readonly from?: number;
}

export interface InlineRequest {
  readonly from: number;
  /** At most 256 characters. */
  readonly query: string;
  readonly offset?: string;
  /** The chat in which it is typed: tells the bot its type. */
  readonly chatId?: number;
}

export interface InlineRequested {
  readonly inlineQueryId: string;
}

/** Sends one of the results into a chat, as the person who asked. */
export interface InlineChoice {
  readonly inlineQueryId: string;
  readonly resultId: string;
  readonly chatId: number;
  readonly topicId?: number;
}

/** A file behind a result of inline mode. */
export interface InlineFile {
  /** For `GET control/files/:fileId`. */
  readonly fileId: string;
  readonly kind: FileKind;
  readonly name?: string;
}

export interface BotSettings {
  readonly privacyMode?: boolean;
  /** Whether the bot hears which results of inline mode were sent. */
  readonly inlineFeedback?: boolean;
  /** Whether its private chats have topics, the existing ones too. */
  readonly privateTopics?: boolean;
}

/** Something that goes wrong with the bot's calls, or with the files that it fetches. */
export interface Fault {
  /** Bot API method in any case, or `*` for all; `file` for the download of a file. */
  readonly method: string;
  /** How many calls are hit. Default 1. */
  readonly times?: number;
  /** Calls of this kind to let through before the first hit, whatever else happens to them. Default 0. */
  readonly skip?: number;
  /** Only calls whose parameters hold these values (compared as strings), such as `{"chat_id": 42}`. */
  readonly match?: { readonly [parameter: string]: string | number | boolean };
  readonly kind: FaultKind;
}

export type FaultKind =
  /** 429 without effect. */
  | { readonly type: 'flood'; readonly retryAfterSeconds: number }
  /**
   * An error answer; 5xx by default 502 with "Bad Gateway". `takesEffect` default false. `isPage`: the body is a page of HTML, as of
   * a proxy before the Bot API.
   */
  | {
      readonly type: 'error';
      readonly status: number;
      readonly description?: string;
      readonly takesEffect?: boolean;
      readonly isPage?: boolean;
    }
  /** No answer until the client goes away or the simulator closes. `takesEffect` default false. */
  | { readonly type: 'no-answer'; readonly takesEffect?: boolean }
  /** The socket is reset before the method took effect. */
  | { readonly type: 'reset-before' }
  /** The method takes effect, then the socket is reset: the answer is lost. */
  | { readonly type: 'reset-after' }
  /** The answer comes late, after the method took effect. */
  | { readonly type: 'slow'; readonly delayMs: number }
  /** 200 with a body that is no JSON; the method took effect. */
  | { readonly type: 'garbage' }
  /** The message that the call names is deleted just before the call. */
  | { readonly type: 'message-vanishes' }
  /**
   * The message that the call replies to is deleted on Telegram's servers just before the call, while the Bot API server still
   * knows it: replies to it are refused with REPLY_MESSAGE_ID_INVALID from then on, also with `allow_sending_without_reply`.
   */
  | { readonly type: 'reply-target-vanishes' }
  /** The topic that the call names, or that of the message it names, is deleted just before the call. */
  | { readonly type: 'topic-vanishes' }
  /** Just before the call the bot is blocked in a private chat, removed from any other; it stays so. */
  | { readonly type: 'bot-blocked' }
  /** The group that the call names becomes a supergroup just before the call. */
  | { readonly type: 'group-upgraded' }
  /** Of a download, as are the next ones. Half of what was promised comes, then the connection breaks. */
  | { readonly type: 'truncated' }
  /** Half of it comes, and looks complete. */
  | { readonly type: 'short' }
  /** One byte in the middle is another one. */
  | { readonly type: 'corrupted' }
  /** As many bytes, of something else. */
  | { readonly type: 'swapped' }
  /** The whole file comes, whatever part of it was asked for. */
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
  /** A new message. A real message of the bot also ends the drafts of its chat and topic. */
  | { readonly type: 'message'; readonly message: ChatMessage }
  /** An edit, a new keyboard, a reaction: replaces the message with the same id. */
  | { readonly type: 'message-changed'; readonly message: ChatMessage }
  | { readonly type: 'messages-deleted'; readonly chatId: number; readonly messageIds: readonly number[] }
  /** A draft appeared or grew: replaces the draft with the same chat and id, or another draft of the same chat and topic. */
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
      /** The files that results stand for, by the ids of the results. */
      readonly files: { readonly [resultId: string]: InlineFile };
      /** Leads into the private chat with the bot; stands above the results. */
      readonly button?: InlineQueryResultsButton;
      /** Where the next results begin; empty where there are no more. */
      readonly nextOffset: string;
    }
  /** A new chat, or a change of title, members, topics, pins, the bot's status. */
  | { readonly type: 'chat'; readonly chat: ChatView }
  | { readonly type: 'person'; readonly person: Person }
  /** Name, descriptions, commands or settings of a bot changed. */
  | { readonly type: 'bot'; readonly bot: BotView }
  /** `after` is too old (or from another run): load `control/state` again. The stream goes on with new events. */
  | { readonly type: 'reset' };
