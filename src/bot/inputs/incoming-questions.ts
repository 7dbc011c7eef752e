import type { Message } from 'grammy/types';
import { LRUCache } from 'lru-cache';
import { sleep } from '../../lib/clock.ts';
import { findLeadingCommand, readAddressedText } from '../kit/address.ts';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { AlbumMemory } from './album-memory.ts';
import { findAttachment, findUnreadableName } from './attachment.ts';
import { describeContent } from './describe-message.ts';
import { findPage } from './links.ts';
import { isNextPart, MAX_PARTS, mayBeFirstPart, toMessageKey } from './message-parts.ts';
import { findPhoto } from './photo.ts';

/** Detector of questions among incoming messages. */
export type IncomingQuestions = ReturnType<typeof createIncomingQuestions>;

/** Question as received: one message, the parts of an album, or in a group those of a long text. */
export interface IncomingQuestion {
  /** Not empty, in the order of sending. */
  readonly parts: readonly [Message, ...Message[]];
  /** Part of an album that arrived after the others were asked. */
  readonly isLate: boolean;
}

/** Question about files of which at least one can't be read. */
export interface UnreadableQuestion {
  /** Names of files that can't be read; not empty. */
  readonly unreadable: readonly string[];
}

/** Bounds memory; the parts of a text arrive within seconds. */
const MAX_TAKEN = 10_000;

export function createIncomingQuestions(services: BotServices) {
  /** Message ids of the question, or `files` if the album is none. */
  const albums = new AlbumMemory<ReadonlySet<number> | 'files'>();
  /** Messages of groups that are parts of the question of another message. */
  const taken = new LRUCache<string, true>({ max: MAX_TAKEN });
  const found = new WeakMap<BotContext, ReturnType<IncomingQuestions['find']>>();

  const findInAlbum = async (ctx: BotContext, message: Message) => {
    const fate = albums.find(message);
    if (fate === 'files') return isGroup(message.chat) ? 'taken' : undefined;
    if (fate?.has(message.message_id)) return 'taken';
    if (fate) return { parts: [message], isLate: true } as const;
    // In groups a command in a caption is no question, so the other parts are none either.
    if (isGroup(message.chat) && services.messageParts.hasCommand(message)) return 'taken';
    const parts = await gatherParts(services, ctx, message);
    const isQuestion = isAlbumAsked(services, ctx, parts);
    albums.record(message, isQuestion ? new Set(parts.map(({ message_id }) => message_id)) : 'files');
    return isQuestion ? ({ parts, isLate: false } as const) : findUnreadable(services, ctx, parts);
  };
  /** In private chats the rest of a text extends the question when it arrives. */
  const findInGroup = async (ctx: BotContext, message: Message) => {
    if (taken.has(toMessageKey(message))) return 'taken';
    if (message.text === undefined) return { parts: [message], isLate: false } as const;
    const all = await gatherParts(services, ctx, message);
    // A part with a command belongs to its feature; the rest extends what that has asked, if anything.
    const isFree = (part: Message) => !taken.has(toMessageKey(part)) && findLeadingCommand(part) === undefined;
    const parts = all.filter((part) => part === message || isFree(part));
    for (const part of parts) taken.set(toMessageKey(part), true);
    const [first = message, ...rest] = parts;
    return { parts: [first, ...rest], isLate: false } as const;
  };
  const find = async (ctx: BotContext) => {
    const { message } = ctx;
    if (!message) return undefined;
    if (message.media_group_id !== undefined) return findInAlbum(ctx, message);
    if (!isQuestionMessage(services, ctx, message)) return findUnreadable(services, ctx, [message]);
    return isGroup(message.chat) ? findInGroup(ctx, message) : ({ parts: [message], isLate: false } as const);
  };

  return {
    /**
     * Returns the question of a message; undefined if it is none, `taken` if it is part of a question found before, or,
     * in a group, of an album that is none.
     */
    find(ctx: BotContext): Promise<IncomingQuestion | UnreadableQuestion | 'taken' | undefined> {
      const answer = found.get(ctx) ?? find(ctx);
      found.set(ctx, answer);
      return answer;
    },
    /** Counts the questions in queued messages that address the bot; an album counts once. Uncertain ones are not counted. */
    count(ctx: BotContext, messages: readonly Message[]): number {
      const bundles = [...Map.groupBy(messages, (message) => message.media_group_id ?? message.message_id).values()];
      const isQuestionBundle = (parts: readonly Message[]) =>
        parts.every((part) => findLeadingCommand(part) === undefined) &&
        (parts[0]?.media_group_id === undefined
          ? parts.every((part) => isQuestionMessage(services, ctx, part) && !isBare(ctx, part))
          : isAlbumAsked(services, ctx, parts));
      return bundles.filter(isQuestionBundle).length;
    },
  };
}

/**
 * Returns whether a message is a question: text, voice messages and images are; other files are with a caption only,
 * otherwise they are stored.
 */
function isQuestionMessage(services: BotServices, ctx: BotContext, message: Message): boolean {
  if (message.text !== undefined || findPhoto(message) || describeContent(message) !== undefined) return true;
  if (!findAttachment(services, message, message, ctx.texts)) return false;
  return isSpoken(message) || hasWords(ctx, message);
}

/** Returns whether a text contains only a mention or a link. */
function isBare(ctx: BotContext, message: Message): boolean {
  if (message.text === undefined) return false;
  return !hasWords(ctx, message) || findPage(message, ctx.me) !== undefined;
}

/** Returns whether a recording is spoken to the bot; music and other audio count as files. */
export function isSpoken({ voice, video_note: videoNote }: Message): boolean {
  return Boolean(voice ?? videoNote);
}

/**
 * Returns whether an album is a question: albums of images are; with documents, all parts must be readable and one
 * needs a caption.
 */
function isAlbumAsked(services: BotServices, ctx: BotContext, parts: readonly Message[]): boolean {
  if (parts.every(findPhoto)) return true;
  const areReadable = parts.every((part) => findAttachment(services, part, part, ctx.texts));
  return areReadable && parts.some((part) => hasWords(ctx, part));
}

/** Returns the files that make a question unanswerable; undefined without words, or if all can be read. */
function findUnreadable(
  services: BotServices,
  ctx: BotContext,
  parts: readonly Message[],
): UnreadableQuestion | undefined {
  if (!parts.some((part) => part.caption !== undefined && hasWords(ctx, part))) return undefined;
  const unreadable = parts.flatMap((part) => findUnreadableName(services, part, part, ctx.texts) ?? []);
  return unreadable.length > 0 ? { unreadable } : undefined;
}

/** Replies that a question about files can't be answered. */
export async function explainUnreadable(ctx: BotContext, { unreadable }: UnreadableQuestion): Promise<void> {
  await ctx.reply(ctx.texts.inputs.cannotRead(unreadable.join(', '), unreadable.length));
}

function hasWords(ctx: BotContext, message: Message): boolean {
  return readAddressedText(message, ctx.me) !== '';
}

/** Maximum pause between two parts, which arrive as separate updates; a later part is late. */
const QUIET_MS = 1500;
const LOOK_EVERY_MS = 300;
/** Telegram's limit for an album. */
const MAX_ALBUM_PARTS = 10;

/**
 * Waits for the parts after a message and returns all of them in order. The updates of those stay in the inbox, so they
 * are handled again after a crash.
 */
async function gatherParts(
  { clock, messageParts }: BotServices,
  ctx: BotContext,
  message: Message,
): Promise<[Message, ...Message[]]> {
  const before = messageParts.listBefore(message);
  let after: readonly Message[] = [];
  let changedAt = clock.now();
  const maxParts = message.media_group_id === undefined ? MAX_PARTS : MAX_ALBUM_PARTS;
  const isComplete = () =>
    before.length + 1 + after.length >= maxParts ||
    !mayBeFirstPart(after.at(-1) ?? message) ||
    clock.now() - changedAt >= QUIET_MS;
  while (!isComplete()) {
    await sleep(clock, LOOK_EVERY_MS);
    const following = await listPartsAfter(ctx, message);
    if (following.length > after.length) changedAt = clock.now();
    after = following;
  }
  const [first = message, ...rest] = [...before, message, ...after].slice(0, maxParts);
  return [first, ...rest];
}

/** Returns the parts after a message among the waiting updates. */
async function listPartsAfter(ctx: BotContext, message: Message): Promise<readonly Message[]> {
  const parts = [message];
  for (const { message: next } of await ctx.listFollowing())
    if (next && isNextPart(parts.at(-1), next)) parts.push(next);
  return parts.slice(1);
}
