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

/** Tells what is a question to the model from what is merely sent. */
export interface IncomingQuestions {
  /** The message's question: undefined where it is none, `taken` where it is a part of one that was found before. */
  find(ctx: BotContext): Promise<IncomingQuestion | 'taken' | undefined>;
  /** How many questions there are in messages that mean the bot and wait; an album is one. What may turn out to be none does not count. */
  count(ctx: BotContext, messages: readonly Message[]): number;
}

/** A question as it came: one message, or the parts of an album. */
export interface IncomingQuestion {
  /** Not empty, in the order of sending. */
  readonly parts: readonly [Message, ...Message[]];
  /** A part of an album that came when the others had been asked about. */
  readonly isLate: boolean;
}

/** Parts of albums come as updates of their own; what comes later than this after the one before is late. */
const QUIET_MS = 1500;
const LOOK_EVERY_MS = 300;
/** Telegram's own limit. */
const MAX_PARTS = 10;

export function createIncomingQuestions(deps: Readers & Pick<BotDeps, 'clock'>): IncomingQuestions {
  /** The messages that were asked about, or `files`. */
  const albums = createAlbumMemory<ReadonlySet<number> | 'files'>();
  const found = new WeakMap<BotContext, ReturnType<IncomingQuestions['find']>>();

  const findInAlbum = async (ctx: BotContext, message: Message) => {
    const known = albums.find(message);
    if (known === 'files') return undefined;
    if (known?.has(message.message_id)) return 'taken';
    if (known) return { parts: [message], isLate: true } as const;
    const parts = await gatherParts(deps, ctx, message);
    const isAsked = isAlbumAsked(deps, ctx, parts);
    albums.note(message, isAsked ? new Set(parts.map(({ message_id }) => message_id)) : 'files');
    return isAsked ? { parts, isLate: false } : undefined;
  };
  const find = async (ctx: BotContext) => {
    const { message } = ctx;
    if (!message) return undefined;
    if (message.media_group_id !== undefined) return findInAlbum(ctx, message);
    return isAsked(deps, ctx, message) ? ({ parts: [message], isLate: false } as const) : undefined;
  };

  return {
    find(ctx) {
      const answer = found.get(ctx) ?? find(ctx);
      found.set(ctx, answer);
      return answer;
    },
    count(ctx, messages) {
      const bundles = [...Map.groupBy(messages, (message) => message.media_group_id ?? message.message_id).values()];
      const isQuestion = (parts: readonly Message[]) =>
        parts.every((part) => findLeadingCommand(part) === undefined) &&
        (parts[0]?.media_group_id === undefined
          ? parts.every((part) => isAsked(deps, ctx, part) && !isBare(ctx, part))
          : isAlbumAsked(deps, ctx, parts));
      return bundles.filter(isQuestion).length;
    },
  };
}

/** Words, spoken or written, and pictures ask by themselves; other files do with words below them, else they are sent to be kept. */
function isAsked(deps: Readers, ctx: BotContext, message: Message): boolean {
  if (message.text !== undefined || findPhoto(message) || describeContent(message) !== undefined) return true;
  if (!findAttachment(deps, message, message, ctx.texts)) return false;
  return isSpoken(message) || hasWords(ctx, message);
}

/** A text that asks nothing by itself: a mention alone, or a link alone. */
function isBare(ctx: BotContext, message: Message): boolean {
  if (message.text === undefined) return false;
  return !hasWords(ctx, message) || findPage(message, ctx.me) !== undefined;
}

/** Spoken to the bot; music and other sound is a file like any. */
function isSpoken({ voice, video_note: videoNote }: Message): boolean {
  return Boolean(voice ?? videoNote);
}

/** Pictures ask by themselves; with documents among them it takes words below one of them, and that all can be read. */
function isAlbumAsked(deps: Readers, ctx: BotContext, parts: readonly Message[]): boolean {
  if (parts.every(findPhoto)) return true;
  const areReadable = parts.every((part) => findAttachment(deps, part, part, ctx.texts));
  return areReadable && parts.some((part) => hasWords(ctx, part));
}

function hasWords(ctx: BotContext, message: Message): boolean {
  return readAddressedText(message, ctx.me) !== '';
}

/** Waits for the other parts. They wait in the inbox: should the process end meanwhile, all of them are handled again. */
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
