import { buildContext, type ContextMessage, type Place, type StoredMessage } from '../core/conversations/index.ts';
import type { ChatMessage, ModelEntry } from '../core/models/index.ts';
import type { Tool } from '../core/tools/index.ts';
import type { JsonObject } from '../lib/json.ts';
import { readAnswerDelta, toVisibleText } from './answer-text.ts';
import type { BotDeps } from './bot-deps.ts';
import { AnswerFailedError, type Failure, toFailure } from './failure.ts';
import { loadPhoto } from './photo.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import type { Texts } from './texts/locales.ts';
import { createToolStatus } from './tool-status.ts';

/** What a model is asked. */
export interface AnswerOrder {
  readonly personId: number;
  /** Where it is asked: chats may have limits of their own. */
  readonly place: Place;
  /** The message that is to be answered; all before it in the tree goes along. */
  readonly question: StoredMessage;
  readonly model: ModelEntry;
  readonly systemPrompt: string | undefined;
  /** What the model may ask for on the way; asked for when it begins. */
  readonly listTools: () => readonly Tool[];
  /** For what people see while tools work. */
  readonly texts: Texts;
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
 * Has a model answer and tells the whole text so far with every step, and what tools are doing below it. Never throws: what went
 * wrong is part of the result. What the model says before it asks for a tool is part of the answer, what a tool says is not.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: Pick<BotDeps, 'client' | 'clock' | 'conversations' | 'toolAnswers' | 'toolbox' | 'logger'>,
  order: AnswerOrder,
  signal: AbortSignal,
  onText: (text: string, status?: string) => void,
): Promise<GeneratedAnswer> {
  const steps = createAnswerSteps();
  const status = createToolStatus(deps, order.texts, (line) => onText(steps.toText(false), line));
  try {
    const messages = await toChatMessages(deps, order, signal);
    const caller = { personId: order.personId, keyId: undefined, chatId: order.place.chatId };
    const { id: model, contextLength, acceptsTools } = order.model;
    const { limits } = deps.toolbox;
    const asked = { model, messages, tools: order.listTools(), limits, contextLength, acceptsTools };
    const stream = deps.toolAnswers.stream(caller, asked, signal);
    for await (const event of stream) {
      if (event.kind === 'tools-begin') {
        steps.next();
        status.begin(event.uses);
      }
      const delta = event.kind === 'chunk' ? readAnswerDelta(event.chunk) : '';
      if (delta === '') continue;
      status.end();
      steps.add(delta);
      if (steps.length > MAX_ANSWER_CHARACTERS) break;
      onText(steps.toText(false));
    }
    return concludeAnswer(steps.toText(true), stream.outcome?.finishReason ?? 'stop');
  } catch (error) {
    const text = steps.toText(true);
    const stoppedBy = signal.aborted && signal.reason instanceof ReplyStoppedError ? signal.reason.by : undefined;
    if (stoppedBy === 'shutdown') return { text, finishReason: 'interrupted', failure: { kind: 'interrupted' } };
    if (stoppedBy !== undefined) return { text, finishReason: 'stopped', failure: undefined };
    const failure = toFailure(error);
    const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
    deps.logger[isOurs ? 'error' : 'warn']({ err: error, model: order.model.id }, 'an answer failed');
    return { text, finishReason: 'error', failure };
  } finally {
    status.end();
  }
}

/** What a model has written, step by step: each may begin with thoughts of its own that nobody sees. */
function createAnswerSteps() {
  let earlier = '';
  let written = '';
  const toText = (isComplete: boolean) =>
    [earlier, toVisibleText(written, isComplete)].filter((text) => text !== '').join('\n\n');
  return {
    toText,
    get length() {
      return earlier.length + written.length;
    },
    add(delta: string) {
      written += delta;
    },
    next() {
      earlier = toText(true);
      written = '';
    },
  };
}

function concludeAnswer(text: string, finishReason: string): GeneratedAnswer {
  if (finishReason === 'content_filter') return { text, finishReason, failure: { kind: 'filtered' } };
  return { text, finishReason, failure: text === '' ? { kind: 'empty' } : undefined };
}

async function toChatMessages(
  deps: Pick<BotDeps, 'client' | 'clock' | 'conversations'>,
  order: AnswerOrder,
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
