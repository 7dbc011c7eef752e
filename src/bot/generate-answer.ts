import type { MessageExtras } from '../core/conversations/index.ts';
import { readChatChunks } from '../core/models/index.ts';
import type { AnswerOrder } from './answer-order.ts';
import { createSourceCollection, type SourceCollection } from './answer-sources.ts';
import { readAnswerDelta, readReasoningDelta, toThought, toVisibleText } from './answer-text.ts';
import type { BotDeps } from './bot-deps.ts';
import { type Failure, toFailure } from './failure.ts';
import { toChatMessages } from './inputs/to-chat-messages.ts';
import { joinContinuation } from './join-continuation.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import { shortenThoughts } from './thoughts.ts';

/** What came of it. Text and failure may go together: an answer that broke off. */
export interface GeneratedAnswer {
  /** Markdown as people are to see it. */
  readonly text: string;
  /** The provider's, or `stopped` (by the person), `interrupted` (by a restart), `error`. */
  readonly finishReason: string;
  readonly failure: Failure | undefined;
  readonly extras: MessageExtras;
}

/** Far more than any answer; a model that repeats itself without end is stopped here. */
const MAX_ANSWER_CHARACTERS = 400_000;

/**
 * Has a model answer and tells the whole text so far, and what the model has thought, with every step. Never throws: what went wrong is part of the result.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: Pick<
    BotDeps,
    'client' | 'clock' | 'conversations' | 'documents' | 'generation' | 'logger' | 'openPage' | 'transcription'
  >,
  order: AnswerOrder,
  signal: AbortSignal,
  onText: (text: string, thoughts: string) => void,
): Promise<GeneratedAnswer> {
  let written = '';
  let reasoning = '';
  const sources = createSourceCollection();
  const thoughts = () => (order.showsReasoning ? reasoning || toThought(written) : '');
  const toText = (isComplete: boolean) => joinContinuation(order.prefix, toVisibleText(written, isComplete));
  const conclude = (finishReason: string, failure?: Failure): GeneratedAnswer => ({
    ...{ text: toText(true), finishReason, failure },
    extras: { ...order.prefixExtras, ...toExtras(thoughts(), sources) },
  });
  try {
    const messages = await toChatMessages(deps, order, signal);
    const body = { model: order.model.id, messages, stream: true };
    const caller = { personId: order.personId, keyId: undefined, chatId: order.place.chatId };
    const stream = await deps.generation.stream(caller, { body }, signal);
    for await (const chunk of readChatChunks(stream)) {
      sources.add(chunk);
      const [delta, thought] = [readAnswerDelta(chunk), readReasoningDelta(chunk)];
      if (delta === '' && thought === '') continue;
      written += delta;
      reasoning += thought;
      if (written.length + reasoning.length > MAX_ANSWER_CHARACTERS) break;
      onText(toText(false), thoughts());
    }
    const finishReason = stream.outcome.finishReason ?? 'stop';
    if (finishReason === 'content_filter') return conclude(finishReason, { kind: 'filtered' });
    // What was to be gone on with may have been whole.
    return conclude(finishReason, toText(true) === '' ? { kind: 'empty' } : undefined);
  } catch (error) {
    const stoppedBy = signal.aborted && signal.reason instanceof ReplyStoppedError ? signal.reason.by : undefined;
    if (stoppedBy === 'shutdown') return conclude('interrupted', { kind: 'interrupted' });
    if (stoppedBy !== undefined) return conclude('stopped');
    const failure = toFailure(error);
    const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
    deps.logger[isOurs ? 'error' : 'warn']({ err: error, model: order.model.id }, 'an answer failed');
    return conclude('error', failure);
  }
}

function toExtras(thoughts: string, sources: SourceCollection): MessageExtras {
  const [reasoning, list] = [shortenThoughts(thoughts), sources.list()];
  return { ...(reasoning !== '' && { reasoning }), ...(list.length > 0 && { sources: list }) };
}
