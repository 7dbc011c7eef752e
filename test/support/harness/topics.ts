import type { ChatMessage, NewMessage } from 'telegram-bot-simulator';
import { expect, vi } from 'vitest';
import type { BotHarness } from './bot.ts';
import type { Actor, SentFile } from './users.ts';

/** Kinds of chats and topics. In all but the first two, messages must address the bot. */
export const PLACES = ['private chat', 'private topic', 'group', 'forum topic', 'General topic'] as const;
export type PlaceName = (typeof PLACES)[number];
/**
 * Kinds that other suites rarely cover, because most of them use private chats without topics. The first one is tested
 * in `npm test`, because it is both a group and a topic.
 */
export const SELDOM_SEEN = ['forum topic', 'private topic', 'group', 'General topic'] as const satisfies PlaceName[];

/** A user in a chat or topic with the bot, and in groups with another user. */
export interface Scene {
  readonly name: PlaceName;
  readonly isGroup: boolean;
  readonly chatId: number;
  /** `message_thread_id` of messages here; undefined outside topics, and in the General one. */
  readonly topicId: number | undefined;
  readonly ann: Actor;
  /** Another member of the group; undefined in private chats. */
  readonly bob: Actor | undefined;
  /** Sends a text as Ann, such as a command. @returns the message's id. */
  writes(text: string, more?: Omit<NewMessage, 'text' | 'from' | 'topicId'>, who?: Actor): number;
  /** Sends a question as Ann, which mentions the bot in groups. @returns the message's id. */
  asks(text: string, more?: Omit<NewMessage, 'text' | 'from' | 'topicId'>): number;
  /** Sends a question as Ann and waits for the answer of the unscripted model. @returns the answer. */
  isAnswered(text: string): Promise<ChatMessage>;
  /** Answers a question of the bot as Ann; in groups, as a reply to it. */
  replies(to: string | RegExp, text: string): Promise<void>;
  /** Sends a file as Ann. A caption mentions the bot in groups. @returns the message's id. */
  sends(file: SentFile): number;
  presses(label: string): Promise<string>;
  sees(text: string | RegExp): Promise<ChatMessage>;
  /** Waits until an answer has these buttons. */
  offers(buttons: string): Promise<void>;
  /** Returns the bot's messages here so far. */
  said(): ChatMessage['message'][];
  /** Tells whether a line of this chat or topic contains the text. */
  shows(text: string | RegExp): boolean;
}

/** Opens a new chat for a scene. */
export function enterPlace(harness: BotHarness, name: PlaceName, who: 'user' | 'operator' = 'user'): Scene {
  const isGroup = name === 'group' || name === 'forum topic' || name === 'General topic';
  const chat = { topics: name === 'private topic' };
  const enter = (first: string) => (who === 'user' ? harness.user(first, 'en', chat) : harness.operator(first, chat));
  const users = isGroup
    ? harness.group(['Ann', 'Bob'], { type: name === 'group' ? 'group' : 'forum' })
    : { Ann: enter('Ann'), Bob: undefined };
  const { Ann: ann, Bob: bob } = users;
  const { chatId } = ann;
  const isTopic = name === 'private topic' || name === 'forum topic';
  const topicId = isTopic
    ? harness.telegram.createTopic({ chatId, name: 'Bells', from: ann.id }).topics[0]?.id
    : undefined;
  const here = topicId === undefined ? {} : { topicId };
  const writes: Scene['writes'] = (text, more = {}, who = ann) => who.writes(text, { ...here, ...more });
  const asks: Scene['asks'] = (text, more) => writes(isGroup ? `@switch_bot ${text}` : text, more);
  const sees = (text: string | RegExp) => harness.sees(chatId, text);

  return {
    name,
    isGroup,
    chatId,
    topicId,
    ann,
    bob,
    writes,
    asks,
    sees,
    isAnswered(text) {
      asks(text);
      return sees(`You said: ${text}`);
    },
    async replies(to, text) {
      const { message } = await sees(to);
      writes(text, isGroup ? { replyTo: message.message_id } : {});
    },
    sends(file) {
      const words =
        file.caption === undefined ? {} : { caption: isGroup ? `@switch_bot ${file.caption}` : file.caption };
      return ann.sends({ ...here, ...file, ...(file.caption?.startsWith('/') ? {} : words) });
    },
    presses: (label) => ann.presses(label),
    offers: (buttons) => vi.waitFor(() => expect(harness.buttons(chatId)).toBe(buttons)),
    said: () =>
      harness.telegram
        .transcript(chatId)
        .map(({ message }) => message)
        .filter(({ from, forum_topic_created: opening }) => from?.is_bot && !opening),
    shows: (text) =>
      harness.lines(chatId).some((line) => (typeof text === 'string' ? line.includes(text) : text.test(line))),
  };
}

/** Text at the beginning of all pages of an answer after the first, in these scenes. */
export const FURTHER = 'further';

interface Watch {
  /** Checks the expectations that hold for all messages of the bot. @param refusals expected errors of Telegram */
  check(refusals?: readonly string[]): void;
}

/**
 * Watches the bot during a scene: all its messages must be in the chat and topic of the scene. In groups each message
 * must be a reply, which shows whom it answers and keeps it in the comments of a channel; further pages of an answer
 * are exempt.
 * Starts when the previous scene has finished, including its last messages.
 */
export async function watch(harness: BotHarness, scene: Scene): Promise<Watch> {
  await harness.hasHandledAll();
  await vi.waitFor(() => expect([...harness.bot.listBusyChats()], 'busy chats').toEqual([]));
  const elsewhere: string[] = [];
  const stop = harness.telegram.subscribe((event) => {
    if (event.type !== 'message' || event.message.chatId === scene.chatId) return;
    if (event.message.message.from?.is_bot) elsewhere.push(JSON.stringify(event.message.message));
  });
  const callsBefore = harness.telegram.calls().length;

  return {
    check(refusals = []) {
      stop();
      expect(elsewhere, 'said elsewhere').toEqual([]);
      for (const { message_thread_id: topicId } of scene.said()) expect(topicId, 'where it speaks').toBe(scene.topicId);
      const calls = harness.telegram
        .calls()
        .slice(callsBefore)
        .filter(({ params }) => Number(params['chat_id']) === scene.chatId);
      const refused = calls
        .filter(({ status = 0 }) => status >= 400)
        .filter(({ method, description = '' }) => !isHarmless(method, description) && !refusals.includes(description))
        .map(({ method, description }) => `${method}: ${description}`);
      expect(refused, 'refused calls').toEqual([]);
      const actionTopic = scene.name === 'General topic' ? 1 : scene.topicId;
      for (const { params } of calls.filter(isAction)) {
        const { message_thread_id: topic } = params;
        expect(topic === undefined ? undefined : Number(topic), 'where it types').toBe(actionTopic);
      }
      const unrelated = calls
        .filter(
          (call) =>
            /^(?:send|copy)/i.test(call.method) && !isAction(call) && call.params['reply_parameters'] === undefined,
        )
        .map(({ params }) => String(params['text'] ?? params['caption'] ?? ''))
        .filter((text) => !text.startsWith(FURTHER));
      if (scene.isGroup) expect(unrelated, 'reply to nothing').toEqual([]);
    },
  };
}

function isAction({ method }: { readonly method: string }): boolean {
  return method === 'sendChatAction';
}

/**
 * Tells whether a refusal is expected: an edit without changes, or the attempt to create a topic, by which the bot
 * detects missing topics.
 */
function isHarmless(method: string, description: string): boolean {
  return method === 'createForumTopic' || description.includes('message is not modified');
}
