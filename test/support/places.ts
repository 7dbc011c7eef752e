import type { ChatMessage, NewMessage } from 'telegram-bot-simulator';
import { expect, vi } from 'vitest';
import type { BotPlay } from './bot-play.ts';
import type { Actor, PlayFile } from './play-actors.ts';

/** Where people speak with the bot. In all but the first two it has to be meant. */
export const PLACES = ['private chat', 'private topic', 'group', 'forum topic', 'General topic'] as const;
export type PlaceName = (typeof PLACES)[number];
/**
 * Those of which other suites see little: most of them play in private chats without topics. The first one stands for all of them in
 * `npm test`: it is a group and has topics.
 */
export const SELDOM_SEEN = ['forum topic', 'private topic', 'group', 'General topic'] as const satisfies PlaceName[];

/** Somebody at a place, with the bot, and in groups with others. */
export interface Scene {
  readonly name: PlaceName;
  readonly isGroup: boolean;
  readonly chatId: number;
  /** `message_thread_id` of what is said here; undefined outside topics, and in the General one. */
  readonly topicId: number | undefined;
  readonly ann: Actor;
  /** Somebody else in the group; undefined where Ann is alone with the bot. */
  readonly bob: Actor | undefined;
  /** Ann writes here what she writes, commands above all. @returns the message's id. */
  writes(text: string, more?: Omit<NewMessage, 'text' | 'from' | 'topicId'>, who?: Actor): number;
  /** She asks: in groups she mentions the bot. @returns the message's id. */
  asks(text: string, more?: Omit<NewMessage, 'text' | 'from' | 'topicId'>): number;
  /** She asks and is answered as models without a script do. @returns the answer. */
  isAnswered(text: string): Promise<ChatMessage>;
  /** She answers a question of the bot's: in groups she replies to it. */
  replies(to: string | RegExp, text: string): Promise<void>;
  /** She sends a file, with the bot mentioned below it in groups where there are words. @returns the message's id. */
  sends(file: PlayFile): number;
  presses(label: string): Promise<string>;
  sees(text: string | RegExp): Promise<ChatMessage>;
  /** Waits until there are buttons like that below an answer. */
  offers(buttons: string): Promise<void>;
  /** What the bot has said here so far. */
  said(): ChatMessage['message'][];
  /** Whether a line of what stands here holds this. */
  shows(text: string | RegExp): boolean;
}

/** Opens a chat for a scene: nothing was said in it before. */
export function enterPlace(play: BotPlay, name: PlaceName, who: 'person' | 'operator' = 'person'): Scene {
  const isGroup = name === 'group' || name === 'forum topic' || name === 'General topic';
  const chat = { topics: name === 'private topic' };
  const enter = (first: string) => (who === 'person' ? play.person(first, 'en', chat) : play.operator(first, chat));
  const users = isGroup
    ? play.group(['Ann', 'Bob'], { type: name === 'group' ? 'group' : 'forum' })
    : { Ann: enter('Ann'), Bob: undefined };
  const { Ann: ann, Bob: bob } = users;
  const { chatId } = ann;
  const isTopic = name === 'private topic' || name === 'forum topic';
  const topicId = isTopic
    ? play.telegram.createTopic({ chatId, name: 'Bells', from: ann.id }).topics[0]?.id
    : undefined;
  const here = topicId === undefined ? {} : { topicId };
  const writes: Scene['writes'] = (text, more = {}, who = ann) => who.writes(text, { ...here, ...more });
  const asks: Scene['asks'] = (text, more) => writes(isGroup ? `@switch_bot ${text}` : text, more);
  const sees = (text: string | RegExp) => play.sees(chatId, text);

  return {
    ...{ name, isGroup, chatId, topicId, ann, bob, writes, asks, sees },
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
    offers: (buttons) => vi.waitFor(() => expect(play.buttons(chatId)).toBe(buttons)),
    said: () =>
      play.telegram
        .transcript(chatId)
        .map(({ message }) => message)
        .filter(({ from, forum_topic_created: opening }) => from?.is_bot && !opening),
    shows: (text) =>
      play.lines(chatId).some((line) => (typeof text === 'string' ? line.includes(text) : text.test(line))),
  };
}

/** Further pages of an answer, in these scenes, begin so. */
export const FURTHER = 'further';

interface Watch {
  /** Checks what holds for everything that is said anywhere. @param refusals what Telegram is made to refuse calls with. */
  check(refusals?: readonly string[]): void;
}

/**
 * Watches what the bot does while a scene is played: all of it in the scene's place. In groups each message replies to one, so that it is
 * seen whose it is, and so that it stands among the comments of a channel; further pages of an answer need not.
 * Begins when the scene before has come to its end, with what is said last there.
 */
export async function watch(play: BotPlay, scene: Scene): Promise<Watch> {
  await play.hasHandledAll();
  await vi.waitFor(() => expect([...play.bot.listBusyChats()], 'busy chats').toEqual([]));
  const elsewhere: string[] = [];
  const stop = play.telegram.subscribe((event) => {
    if (event.type !== 'message' || event.message.chatId === scene.chatId) return;
    if (event.message.message.from?.is_bot) elsewhere.push(JSON.stringify(event.message.message));
  });
  const callsBefore = play.telegram.calls().length;

  return {
    check(refusals = []) {
      stop();
      expect(elsewhere, 'said elsewhere').toEqual([]);
      for (const { message_thread_id: topicId } of scene.said()) expect(topicId, 'where it speaks').toBe(scene.topicId);
      const calls = play.telegram
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

/** Nothing is changed twice, and where no topics can be opened the bot finds that out by trying. */
function isHarmless(method: string, description: string): boolean {
  return method === 'createForumTopic' || description.includes('message is not modified');
}
