import type { Message } from 'grammy/types';
import { BlobRefusedError, type KnownBlobs, type LostBlob } from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { toGrammySignal } from '../grammy-signal.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import { type ChannelLocator, readBlobLocator } from './channel-locator.ts';
import type { ChannelPairs } from './channel-pairs.ts';
import { toDocumentName } from './put-document.ts';
import { removeMessage } from './remove-message.ts';
import { type ChannelPair, describeCallError } from './storage-bot.ts';
import type { StoragePace } from './storage-pace.ts';

export interface FindLostDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pairs: ChannelPairs;
  readonly pace: StoragePace;
  readonly knownBlobs: KnownBlobs;
  readonly storeKind: string;
}

/** No `put` takes longer from its beginning to its message, so blobs that are further apart stand in that order. */
const LONGEST_PUT_MS = 30 * 60_000;
/** In 30 minutes a channel takes 600 messages of a bot. */
const JOURNAL_LIMIT = 1000;
const MOST_PROBES_AT_ONCE = 40;
/** Where nothing else bounds the search: farther than this from the likeliest place it is not. */
const FARTHEST = 1000;
const MOST_REMEMBERED = 10_000;
const RETRY_MS = 60_000;
const NOTE = 'Looking at the message above; this note goes away by itself.';
const MOST_TRIES = 3;
/** Nothing is there, or a service message. */
const NOTHING_TO_FORWARD = /message to forward not found|message can't be forwarded/i;
/** Message 1 of a channel tells of its creation. */
const FIRST_ID = 2;

/**
 * Finds the messages of blobs whose answer was lost: in each channel the ids between what surely stood there before and what
 * surely came after, without those that are known. Bots can't read a channel, but Telegram shows them what they reply to. So
 * a silent note answers each of these messages and is deleted at once; the message itself is not touched, and where nothing
 * is, no note appears.
 */
export function createLostMessageFinder(deps: FindLostDeps) {
  const looks = createLooks();

  /**
   * @returns undefined where it is in none of the channels.
   * @throws BlobRefusedError where that can't be told yet; the signal's reason.
   */
  return async (
    lost: LostBlob,
    chatIds: readonly number[],
    signal: AbortSignal,
  ): Promise<ChannelLocator | undefined> => {
    for (const chatId of chatIds) {
      const [pair] = deps.pairs.ofChannel(chatId);
      const found = pair && (await searchChannel(deps, pair, lost, looks, signal));
      if (found) return found;
    }
    return undefined;
  };
}

/** What was seen under an id; undefined where there is no document. */
type Look = { readonly name: string | undefined; readonly locator: ChannelLocator } | undefined;

/**
 * What was seen in the channels: after a crash several blobs are looked for among the same messages. Ids only go up, so
 * where nothing was nothing comes.
 */
function createLooks() {
  const looks = new Map<string, Look>();
  const keyOf = (chatId: number, messageId: number) => `${chatId} ${messageId}`;
  return {
    has: (chatId: number, messageId: number) => looks.has(keyOf(chatId, messageId)),
    get: (chatId: number, messageId: number) => looks.get(keyOf(chatId, messageId)),
    add(chatId: number, messageId: number, look: Look) {
      looks.set(keyOf(chatId, messageId), look);
      const [oldest] = looks.keys();
      if (looks.size > MOST_REMEMBERED && oldest !== undefined) looks.delete(oldest);
    },
  };
}

async function searchChannel(
  deps: FindLostDeps,
  pair: ChannelPair,
  lost: LostBlob,
  looks: ReturnType<typeof createLooks>,
  signal: AbortSignal,
): Promise<ChannelLocator | undefined> {
  const { bot, chatId } = pair;
  const name = toDocumentName(lost.name);
  const candidates = await listCandidates(deps, pair, lost, signal);
  for (const messageId of candidates) {
    const look = looks.get(chatId, messageId);
    if (look?.name === name) return look.locator;
  }
  const open = candidates.filter((id) => !looks.has(chatId, id));
  for (const messageId of open.slice(0, MOST_PROBES_AT_ONCE)) {
    const document = await lookAt(deps, pair, messageId, signal);
    const look = document && {
      name: document.file_name,
      locator: {
        ...{ botId: bot.id, chatId, messageId, fileId: document.file_id },
        sizeBytes: document.file_size ?? lost.sizeBytes,
      },
    };
    looks.add(chatId, messageId, look);
    if (look?.name === name) return look.locator;
  }
  if (open.length > MOST_PROBES_AT_ONCE)
    throw new BlobRefusedError(`${open.length - MOST_PROBES_AT_ONCE} messages are still to be looked at`, {
      retryAfterMs: RETRY_MS,
    });
  return undefined;
}

/** Ids that the message may have, the likeliest first. */
async function listCandidates(
  deps: FindLostDeps,
  pair: ChannelPair,
  lost: LostBlob,
  signal: AbortSignal,
): Promise<number[]> {
  const rows = await deps.knownBlobs.listAround({
    store: deps.storeKind,
    like: { chatId: pair.chatId },
    at: lost.startedAt,
    limit: JOURNAL_LIMIT,
  });
  const known = rows.map(({ locator, createdAt }) => ({
    id: readBlobLocator(locator).messageId,
    laterMs: createdAt.getTime() - lost.startedAt.getTime(),
  }));
  const idsOf = (isMeant: (laterMs: number) => boolean) =>
    known.filter(({ laterMs }) => isMeant(laterMs)).map(({ id }) => id);
  const surelyAfter = idsOf((laterMs) => laterMs > LONGEST_PUT_MS);
  const last = surelyAfter.length > 0 ? Math.min(...surelyAfter) - 1 : await readNewestId(deps, pair, signal);
  const before = idsOf((laterMs) => laterMs <= 0);
  const surelyBefore = idsOf((laterMs) => laterMs < -LONGEST_PUT_MS);
  // Where the journal reaches less far back than that, its oldest entries are the best that is known.
  const first = surelyBefore.length > 0 ? Math.max(...surelyBefore) + 1 : FIRST_ID;
  const knownIds = new Set(known.map(({ id }) => id));
  const likely = before.length > 0 ? Math.max(...before) : last;
  const candidates: number[] = [];
  const end = Math.min(last, likely + FARTHEST);
  for (let id = Math.max(first, likely - FARTHEST); id <= end; id++) if (!knownIds.has(id)) candidates.push(id);
  return candidates.sort((left, right) => Math.abs(left - likely) - Math.abs(right - likely));
}

/** The id of the channel's newest message. */
async function readNewestId(deps: FindLostDeps, pair: ChannelPair, signal: AbortSignal): Promise<number> {
  const note = await post(deps, pair, signal, () => sendNote(pair, undefined, signal));
  return note ? note.message_id - 1 : 0;
}

/** The document in the message with that id; undefined where there is none. */
async function lookAt(
  deps: FindLostDeps,
  pair: ChannelPair,
  messageId: number,
  signal: AbortSignal,
): Promise<Message['document']> {
  const note = await post(deps, pair, signal, () => sendNote(pair, messageId, signal));
  if (!note) return undefined;
  if (note.reply_to_message) return note.reply_to_message.document;
  // There documents can't be forwarded either: a refusal would not prove that the message is a service message.
  if (note.has_protected_content)
    throw new BlobRefusedError('the channel does not allow to forward messages', { retryAfterMs: RETRY_MS });
  // The Bot API server shows the message only while it is in its memory; a copy shows it as well.
  const copy = await post(deps, pair, signal, () => sendCopy(pair, messageId, signal));
  return copy?.document;
}

function sendNote({ bot, chatId }: ChannelPair, replyTo: number | undefined, signal: AbortSignal): Promise<Message> {
  const reply = replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo } };
  return bot.api.sendMessage(chatId, NOTE, { disable_notification: true, ...reply }, toGrammySignal(signal));
}

function sendCopy({ bot, chatId }: ChannelPair, messageId: number, signal: AbortSignal): Promise<Message> {
  return bot.api.forwardMessage(chatId, chatId, messageId, { disable_notification: true }, toGrammySignal(signal));
}

/** Posts something and takes it back. Undefined where the message that it is about is not there: then nothing was posted. */
async function post<Posted extends Message>(
  deps: FindLostDeps,
  pair: ChannelPair,
  signal: AbortSignal,
  act: () => Promise<Posted>,
): Promise<Posted | undefined> {
  for (let tries = 1; ; tries++) {
    await deps.pace.takeTurn({ kind: 'probe', pairs: [pair] }, signal);
    try {
      const posted = await act();
      await takeBack(deps, pair, posted.message_id);
      return posted;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyTelegramError(error);
      const reason = describeCallError(error, pair.bot);
      if (failure.kind === 'reply-target-gone' || NOTHING_TO_FORWARD.test(reason)) return undefined;
      if (failure.kind === 'flood') await deps.pace.noteFlood('probe', pair, failure.retryAfterMs);
      else if (failure.kind === 'blocked' || failure.kind === 'unauthorized') deps.pairs.rest(pair);
      if (failure.kind !== 'flood' || tries === MOST_TRIES)
        throw new BlobRefusedError(reason, { retryAfterMs: RETRY_MS });
    }
  }
}

/** Also when the search has been broken off. A note that stays is ugly, and nothing else. */
async function takeBack(deps: FindLostDeps, { bot, chatId }: ChannelPair, messageId: number): Promise<void> {
  const note = { botId: bot.id, chatId, messageId };
  await removeMessage(deps, note, new AbortController().signal).catch((error: unknown) =>
    deps.logger.warn({ err: error, chatId, messageId }, 'a note stays in the channel'),
  );
}
