import type { InlineQueryResult } from 'grammy/types';
import type { ChatMessage, NewChat, NewMessage, Simulator } from 'telegram-bot-simulator';
import { vi } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { ChatHelpers } from './chats.ts';

/** User with a Telegram app, in one chat. */
export interface Actor {
  readonly id: number;
  readonly name: string;
  readonly chatId: number;
  /** @returns the message's id. */
  writes(text: string, more?: Omit<NewMessage, 'text' | 'from'>): number;
  /** Sends a file as the app would. @returns the message's id. */
  sends(file: SentFile): number;
  /** Presses the newest button with this label. @returns the text of the bot's answer; empty if it has none. */
  presses(label: string): Promise<string>;
  /** Presses it without waiting for an answer. */
  taps(label: string): Promise<string | undefined>;
  /** Types `@bot query` in a chat. @returns the bot's results, and the other parameters of its call. */
  asksInline(query: string, offset?: string): Promise<InlineAnswer>;
}

/** Answer of the bot to an inline query. */
interface InlineAnswer {
  readonly queryId: string;
  readonly results: readonly InlineQueryResult[];
  /** As sent by the bot. */
  readonly options: JsonObject;
}

export interface SentFile {
  readonly bytes?: Buffer;
  readonly mimeType?: string;
  readonly fileName?: string;
  /** Equal for the files of one album, which are sent one after another. */
  readonly mediaGroupId?: string;
  readonly kind?: 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'video_note' | 'sticker';
  readonly caption?: string;
  readonly replyTo?: number;
  readonly topicId?: number;
}

/** One transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

interface ActorDeps {
  readonly control: Simulator['control'];
  readonly chats: ChatHelpers;
}

/** Creates users in private chats and groups. */
export function createActors(deps: ActorDeps) {
  const { control } = deps;
  return {
    /** Creates a user in a private chat with the bot. */
    user(name: string, languageCode = 'en', more: Pick<NewChat, 'topics'> = {}): Actor {
      const created = control.createPerson({ firstName: name, languageCode });
      const chat = control.createChat({ type: 'private', memberIds: [created.id], ...more });
      return createActor(deps, { id: created.id, name, chatId: chat.id });
    },
    /** Creates users in a group with the bot. */
    group<Name extends string>(names: readonly Name[], chat: Partial<NewChat> = {}): Record<Name, Actor> {
      const users = names.map((name) => ({ name, id: control.createPerson({ firstName: name }).id }));
      const memberIds = users.map(({ id }) => id);
      const { id: chatId } = control.createChat({ type: 'supergroup', title: 'Friends', ...chat, memberIds });
      const actors = users.map((user) => [user.name, createActor(deps, { ...user, chatId })]);
      return Object.fromEntries(actors);
    },
  };
}

function createActor(deps: ActorDeps, who: Pick<Actor, 'id' | 'name' | 'chatId'>): Actor {
  const { control } = deps;
  const { id, chatId } = who;
  return {
    ...who,
    writes: (text, more = {}) => control.sendMessage(chatId, { ...more, text, from: id }).message.message_id,
    sends({ bytes = PNG, mimeType = 'image/png', fileName = 'picture.png', ...more }) {
      return control.sendFile(chatId, { ...more, from: id, bytes, mimeType, fileName }).message.message_id;
    },
    presses: (label) => press(deps, who, label),
    taps: (label) => tap(deps, who, label),
    async asksInline(query, offset = '') {
      const { inlineQueryId: queryId } = control.askInline({ from: id, query, offset });
      // A call is logged slightly after its effects are visible.
      const { params } = await vi.waitFor(() => {
        const answer = control
          .calls('answerInlineQuery')
          .find((call) => call.params['inline_query_id'] === queryId && call.status === 200);
        if (!answer) throw new Error(`no answer to the inline query ${query}`);
        return answer;
      });
      const { results, ...options } = params;
      return { queryId, results: Array.isArray(results) ? results : [], options };
    },
  };
}

async function tap({ control, chats }: ActorDeps, { id, chatId }: Pick<Actor, 'id' | 'chatId'>, label: string) {
  const { messageId, data } = await chats.waitFor(
    () => findButton(control.transcript(chatId), label),
    () => `no button ${label}:\n${chats.lines(chatId).join('\n')}`,
  );
  return control.pressButton(chatId, messageId, { from: id, data }).callbackQueryId;
}

async function press(deps: ActorDeps, who: Pick<Actor, 'id' | 'chatId'>, label: string): Promise<string> {
  const answers = new Map<string | undefined, { readonly text: string }>();
  const unsubscribe = deps.control.subscribe((event) => {
    if (event.type === 'callback-answer') answers.set(event.callbackQueryId, { text: event.text ?? '' });
  });
  try {
    const callbackQueryId = await tap(deps, who, label);
    const { text } = await deps.chats.waitFor(
      () => answers.get(callbackQueryId),
      () => `no answer to ${label}`,
    );
    return text;
  } finally {
    unsubscribe();
  }
}

function findButton(messages: readonly ChatMessage[], label: string) {
  for (const { message } of messages.toReversed()) {
    for (const button of message.reply_markup?.inline_keyboard.flat() ?? []) {
      if (button.text === label && 'callback_data' in button) {
        return { messageId: message.message_id, data: button.callback_data };
      }
    }
  }
  return undefined;
}
