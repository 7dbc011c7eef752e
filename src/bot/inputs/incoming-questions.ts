import type { Message } from 'grammy/types';
import { sleep } from '../../lib/clock.ts';
import { findLeadingCommand, readAddressedText } from '../framework/address.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';
import { createAlbumMemory } from './album-memory.ts';
import { findAttachment, type Readers } from './attachment.ts';
import { describeContent } from './describe-message.ts';
import { findPage } from './links.ts';
import { findPhoto } from './photo.ts';

/** Detector of questions among incoming messages. */
export interface IncomingQuestions {
  /** Returns the question of a message; undefined if it is none, `taken` if it is part of a question found before. */
  find(ctx: BotContext): Promise<IncomingQuestion | 'taken' | undefined>;
  /**
   * Counts the questions in queued messages that address the bot; an album counts once. Uncertain ones are not counted.
   */
  count(ctx: BotContext, messages: readonly Message[]): number;
}

/** Question as received: one message, or the parts of an album. */
export interface IncomingQuestion {
  /** Not empty, in the order of sending. */
  readonly parts: readonly [Message, ...Message[]];
  /** Part of an album that arrived after the others were asked. */
  readonly isLate: boolean;
}

/** Maximum pause between the parts of an album, which arrive as separate updates; a later part is late. */
const QUIET_MS = 1500;
const LOOK_EVERY_MS = 300;
/** Telegram's limit for an album. */
const MAX_PARTS = 10;

export function createIncomingQuestions(deps: Readers & Pick<BotDeps, 'clock'>): IncomingQuestions {
  /** Message ids of the question, or `files` if the album is none. */
  const albums = createAlbumMemory<ReadonlySet<number> | 'files'>();
  const found = new WeakMap<BotContext, ReturnType<IncomingQuestions['find']>>();

  const findInAlbum = async (ctx: BotContext, message: Message) => {
    const recorded = albums.find(message);
    if (recorded === 'files') return undefined;
    if (recorded?.has(message.message_id)) return 'taken';
    if (recorded) return { parts: [message], isLate: true } as const;
    const parts = await gatherParts(deps, ctx, message);
    const isQuestion = isAlbumAsked(deps, ctx, parts);
    albums.record(message, isQuestion ? new Set(parts.map(({ message_id }) => message_id)) : 'files');
    return isQuestion ? { parts, isLate: false } : undefined;
  };
  const find = async (ctx: BotContext) => {
    const { message } = ctx;
    if (!message) return undefined;
    if (message.media_group_id !== undefined) return findInAlbum(ctx, message);
    return isQuestionMessage(deps, ctx, message) ? ({ parts: [message], isLate: false } as const) : undefined;
  };

  return {
    find(ctx) {
      const answer = found.get(ctx) ?? find(ctx);
      found.set(ctx, answer);
      return answer;
    },
    count(ctx, messages) {
      const bundles = [...Map.groupBy(messages, (message) => message.media_group_id ?? message.message_id).values()];
      const isQuestionBundle = (parts: readonly Message[]) =>
        parts.every((part) => findLeadingCommand(part) === undefined) &&
        (parts[0]?.media_group_id === undefined
          ? parts.every((part) => isQuestionMessage(deps, ctx, part) && !isBare(ctx, part))
          : isAlbumAsked(deps, ctx, parts));
      return bundles.filter(isQuestionBundle).length;
    },
  };
}

/**
 * Returns whether a message is a question: text, voice messages and images are; other files are with a caption only,
 * otherwise they are stored.
 */
function isQuestionMessage(deps: Readers, ctx: BotContext, message: Message): boolean {
  if (message.text !== undefined || findPhoto(message) || describeContent(message) !== undefined) return true;
  if (!findAttachment(deps, message, message, ctx.texts)) return false;
  return isSpoken(message) || hasWords(ctx, message);
}

/** Returns whether a text contains only a mention or a link. */
function isBare(ctx: BotContext, message: Message): boolean {
  if (message.text === undefined) return false;
  return !hasWords(ctx, message) || findPage(message, ctx.me) !== undefined;
}

/** Returns whether a recording is spoken to the bot; music and other audio count as files. */
function isSpoken({ voice, video_note: videoNote }: Message): boolean {
  return Boolean(voice ?? videoNote);
}

/**
 * Returns whether an album is a question: albums of images are; with documents, all parts must be readable and one
 * needs a caption.
 */
function isAlbumAsked(deps: Readers, ctx: BotContext, parts: readonly Message[]): boolean {
  if (parts.every(findPhoto)) return true;
  const areReadable = parts.every((part) => findAttachment(deps, part, part, ctx.texts));
  return areReadable && parts.some((part) => hasWords(ctx, part));
}

function hasWords(ctx: BotContext, message: Message): boolean {
  return readAddressedText(message, ctx.me) !== '';
}

/** Waits for the other parts. Their updates stay in the inbox, so all of them are handled again after a crash. */
async function gatherParts(
  { clock }: Pick<BotDeps, 'clock'>,
  ctx: BotContext,
  first: Message,
): Promise<[Message, ...Message[]]> {
  const isPart = (message: Message) =>
    message.media_group_id === first.media_group_id && message.from?.id === first.from?.id;
  let parts: [Message, ...Message[]] = [first];
  let changedAt = clock.now();
  while (parts.length < MAX_PARTS && clock.now() - changedAt < QUIET_MS) {
    await sleep(clock, LOOK_EVERY_MS);
    const following = (await ctx.listFollowing()).flatMap(({ message }) => message ?? []).filter(isPart);
    if (following.length + 1 > parts.length) changedAt = clock.now();
    parts = [first, ...following.slice(0, MAX_PARTS - 1)];
  }
  return parts;
}
