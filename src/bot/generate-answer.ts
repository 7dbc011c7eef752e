import { readChatChunks } from '../core/models/index.ts';
import type { AnswerOrder } from './answer-order.ts';
import { readAnswerDelta, toVisibleText } from './answer-text.ts';
import type { BotDeps } from './bot-deps.ts';
import { type Failure, toFailure } from './failure.ts';
import { toChatMessages } from './inputs/to-chat-messages.ts';
import { ReplyStoppedError } from './reply-queue.ts';

/** What came of it. Text and failure may go together: an answer that broke off. */
export interface GeneratedAnswer {
  /** Markdown as people are to see it. */
  readonly text: string;
  /** The provider's, or `stopped` (by the person), `interrupted` (by a restart), `error`. */
  readonly finishReason: string;
  readonly failure: Failure | undefined;
}

/** Far more than any answer; a model that repeats itself without end is stopped here. */
const MAX_ANSWER_CHARACTERS = 400_000;

/**
 * Has a model answer and tells the whole text so far with every step. Never throws: what went wrong is part of the result.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: Pick<
    BotDeps,
    'client' | 'clock' | 'conversations' | 'documents' | 'generation' | 'logger' | 'openPage' | 'transcription'
  >,
  order: AnswerOrder,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<GeneratedAnswer> {
  let written = '';
  try {
    const messages = await toChatMessages(deps, order, signal);
    const body = { model: order.model.id, messages, stream: true };
    const caller = { personId: order.personId, keyId: undefined, chatId: order.place.chatId };
    const stream = await deps.generation.stream(caller, { body }, signal);
    for await (const chunk of readChatChunks(stream)) {
      const delta = readAnswerDelta(chunk);
      if (delta === '') continue;
      written += delta;
      if (written.length > MAX_ANSWER_CHARACTERS) break;
      onText(toVisibleText(written, false));
    }
    return concludeAnswer(toVisibleText(written, true), stream.outcome.finishReason ?? 'stop');
  } catch (error) {
    const text = toVisibleText(written, true);
    const stoppedBy = signal.aborted && signal.reason instanceof ReplyStoppedError ? signal.reason.by : undefined;
    if (stoppedBy === 'shutdown') return { text, finishReason: 'interrupted', failure: { kind: 'interrupted' } };
    if (stoppedBy !== undefined) return { text, finishReason: 'stopped', failure: undefined };
    const failure = toFailure(error);
    const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
    deps.logger[isOurs ? 'error' : 'warn']({ err: error, model: order.model.id }, 'an answer failed');
    return { text, finishReason: 'error', failure };
  }
}

function concludeAnswer(text: string, finishReason: string): GeneratedAnswer {
  if (finishReason === 'content_filter') return { text, finishReason, failure: { kind: 'filtered' } };
  return { text, finishReason, failure: text === '' ? { kind: 'empty' } : undefined };
}
