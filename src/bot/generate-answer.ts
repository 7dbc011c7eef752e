import { buildContext, type ContextMessage, type Place, type StoredMessage } from '../core/conversations/index.ts';
import { type ChatMessage, type ModelEntry, readChatChunks } from '../core/models/index.ts';
import type { JsonObject } from '../lib/json.ts';
import { readAnswerDelta, toVisibleText } from './answer-text.ts';
import type { BotDeps } from './bot-deps.ts';
import { AnswerFailedError, type Failure, toFailure } from './failure.ts';
import { findGuidance, type Guidance } from './guidance.ts';
import { loadPhoto } from './photo.ts';
import { ReplyStoppedError } from './reply-queue.ts';

/** What a model is asked. */
export interface AnswerOrder {
  readonly personId: number;
  /** Where it is asked: chats may have limits of their own. */
  readonly place: Place;
  /** The message that is to be answered; all before it in the tree goes along. */
  readonly question: StoredMessage;
  readonly model: ModelEntry;
}

/** What came of it. Text and failure may go together: an answer that broke off. */
export interface GeneratedAnswer {
  /** Markdown as people are to see it. */
  readonly text: string;
  /** The provider's, or `stopped` (by the person), `interrupted` (by a restart), `error`. */
  readonly finishReason: string;
  readonly failure: Failure | undefined;
}

/** Pictures are large: only the newest ones go along. */
const MAX_PHOTOS = 4;
/** Far more than any answer; a model that repeats itself without end is stopped here. */
const MAX_ANSWER_CHARACTERS = 400_000;

/**
 * Has a model answer and tells the whole text so far with every step. Never throws: what went wrong is part of the result.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: Pick<BotDeps, 'accounts' | 'client' | 'clock' | 'conversations' | 'generation' | 'logger' | 'personas'>,
  order: AnswerOrder,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<GeneratedAnswer> {
  let written = '';
  try {
    const { systemPrompt, parameters } = await findGuidance(deps, order);
    const messages = await toChatMessages(deps, { ...order, systemPrompt }, signal);
    const body = { model: order.model.id, messages, stream: true, ...parameters };
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

async function toChatMessages(
  deps: Pick<BotDeps, 'client' | 'clock' | 'conversations'>,
  order: AnswerOrder & Pick<Guidance, 'systemPrompt'>,
  signal: AbortSignal,
): Promise<ChatMessage[]> {
  const { question, model, systemPrompt } = order;
  const seesPhotos = model.acceptsImages !== false;
  if (question.attachments.length > 0 && !seesPhotos) throw new AnswerFailedError({ kind: 'blind' });
  const path = await deps.conversations.listPath(question.id);
  const context = buildContext({ path, systemPrompt, contextLength: model.contextLength });
  const withPhotos = context.filter((message) => message.attachments.length > 0).slice(-MAX_PHOTOS);
  const messages: ChatMessage[] = [];
  for (const message of context) {
    const parts = seesPhotos && withPhotos.includes(message) ? await toContentParts(deps, message, signal) : undefined;
    messages.push({ role: message.role, content: parts ?? toPlainContent(message) });
  }
  return messages;
}

async function toContentParts(
  deps: Pick<BotDeps, 'client' | 'clock'>,
  message: ContextMessage,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const parts: JsonObject[] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  for (const attachment of message.attachments) {
    parts.push({ type: 'image_url', image_url: { url: await loadPhoto(deps, attachment, signal) } });
  }
  return parts;
}

/** A picture that does not go along leaves a word, or an empty message would puzzle the model. */
function toPlainContent(message: ContextMessage): string {
  return message.attachments.length === 0 ? message.content : `[photo] ${message.content}`.trim();
}
