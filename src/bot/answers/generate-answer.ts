import type { MessageExtras } from '../../core/conversations/index.ts';
import type { BotDeps } from '../bot-deps.ts';
import { type Failure, toFailure } from '../failure.ts';
import { toCaller } from '../groups/to-caller.ts';
import type { ReadingDeps } from '../inputs/read-attachments.ts';
import { toChatMessages } from '../inputs/to-chat-messages.ts';
import type { AnswerOrder } from './answer-order.ts';
import { createSourceCollection, type SourceCollection } from './answer-sources.ts';
import { createAnswerSteps } from './answer-steps.ts';
import { findGuidance } from './guidance.ts';
import { joinContinuation } from './join-continuation.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import { shortenThoughts } from './thoughts.ts';
import { canOpenPages, createToolStatus } from './tool-status.ts';

/** An answer in the making. */
export interface AnswerSoFar {
  /** Markdown as people are to see it. */
  readonly text: string;
  /** What the model has thought, where that is to be shown; else empty. */
  readonly thoughts: string;
  /** What tools are doing just now. */
  readonly status: string | undefined;
  /** Tools have been at work: what they have done can't be undone. */
  readonly hasUsedTools: boolean;
}

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
 * Has a model answer and tells with every step what there is of it. Never throws: what went wrong is part of the result. What the model
 * says before it asks for a tool is part of the answer, what a tool says is not.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: ReadingDeps & Pick<BotDeps, 'accounts' | 'personas' | 'toolAnswers' | 'toolbox'>,
  order: AnswerOrder,
  signal: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const steps = createAnswerSteps();
  const sources = createSourceCollection();
  let hasUsedTools = false;
  const thoughts = () => (order.showsReasoning ? steps.toThoughts() : '');
  const toText = (isComplete: boolean) => joinContinuation(order.prefix, steps.toText(isComplete));
  const tell = (status?: string) => onProgress({ text: toText(false), thoughts: thoughts(), status, hasUsedTools });
  const status = createToolStatus(deps, order.texts, tell);
  const conclude = (finishReason: string, failure?: Failure): GeneratedAnswer => ({
    ...{ text: toText(true), finishReason, failure },
    extras: { ...order.prefixExtras, ...toExtras(thoughts(), sources) },
  });
  try {
    const { systemPrompt, parameters } = await findGuidance(deps, order);
    const caller = toCaller(deps, order, order.group);
    const { id: model, contextLength, acceptsTools } = order.model;
    const { limits } = deps.toolbox;
    const tools = order.listTools();
    const messages = (hasTools: boolean) => {
      const opensLinks = !(hasTools && tools.some(canOpenPages));
      const reading = { opensLinks, onOpening: status.open };
      return toChatMessages(deps, { ...order, systemPrompt }, reading, signal);
    };
    const asked = { model, messages, parameters, tools, limits, contextLength, acceptsTools };
    const stream = deps.toolAnswers.stream(caller, asked, signal);
    for await (const event of stream) {
      if (event.kind === 'tools-begin') {
        steps.next();
        hasUsedTools = true;
        tell();
        status.begin(event.uses);
      }
      if (event.kind !== 'chunk') continue;
      sources.add(event.chunk);
      const added = steps.add(event.chunk);
      if (steps.length > MAX_ANSWER_CHARACTERS) break;
      if (added === undefined || (added === 'thoughts' && !order.showsReasoning)) continue;
      status.end();
      tell();
    }
    const finishReason = stream.outcome?.finishReason ?? 'stop';
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
  } finally {
    status.end();
  }
}

function toExtras(thoughts: string, sources: SourceCollection): MessageExtras {
  const [reasoning, list] = [shortenThoughts(thoughts), sources.list()];
  return { ...(reasoning !== '' && { reasoning }), ...(list.length > 0 && { sources: list }) };
}
