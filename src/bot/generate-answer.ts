import {
  buildContext,
  type ContextMessage,
  type MessageExtras,
  type Place,
  type StoredMessage,
} from '../core/conversations/index.ts';
import type { ChatMessage, ModelEntry } from '../core/models/index.ts';
import type { Tool } from '../core/tools/index.ts';
import type { JsonObject } from '../lib/json.ts';
import { createSourceCollection, type SourceCollection } from './answer-sources.ts';
import { createAnswerSteps } from './answer-steps.ts';
import type { BotDeps } from './bot-deps.ts';
import { AnswerFailedError, type Failure, toFailure } from './failure.ts';
import { findGuidance, type Guidance } from './guidance.ts';
import { breakOffText, joinContinuation } from './join-continuation.ts';
import { loadPhoto } from './photo.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import type { Texts } from './texts/locales.ts';
import { shortenThoughts } from './thoughts.ts';
import { createToolStatus } from './tool-status.ts';

/** What a model is asked. */
export interface AnswerOrder {
  readonly personId: number;
  /** Where it is asked: chats may have limits of their own. */
  readonly place: Place;
  /** The message that is to be answered; all before it in the tree goes along. */
  readonly question: StoredMessage;
  readonly model: ModelEntry;
  /** What there is of the answer, where the model is to go on with it; else empty. */
  readonly prefix: string;
  /** What belongs to that beside the text. */
  readonly prefixExtras: MessageExtras;
  /** What the model thinks is shown. */
  readonly showsReasoning: boolean;
  /** What the model may ask for on the way; asked for when it begins. */
  readonly listTools: () => readonly Tool[];
  /** For what people see while tools work. */
  readonly texts: Texts;
}

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

/** Pictures are large: only the newest ones go along. */
const MAX_PHOTOS = 4;
/** Far more than any answer; a model that repeats itself without end is stopped here. */
const MAX_ANSWER_CHARACTERS = 400_000;

/**
 * Has a model answer and tells with every step what there is of it. Never throws: what went wrong is part of the result. What the model
 * says before it asks for a tool is part of the answer, what a tool says is not.
 * @param signal aborted with a `ReplyStoppedError`, it ends the answer early and keeps its text.
 */
export async function generateAnswer(
  deps: Pick<
    BotDeps,
    'accounts' | 'client' | 'clock' | 'conversations' | 'personas' | 'toolAnswers' | 'toolbox' | 'logger'
  >,
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
    const messages = await toChatMessages(deps, { ...order, systemPrompt }, signal);
    const caller = { personId: order.personId, keyId: undefined, chatId: order.place.chatId };
    const { id: model, contextLength, acceptsTools } = order.model;
    const { limits } = deps.toolbox;
    const asked = { model, messages, parameters, tools: order.listTools(), limits, contextLength, acceptsTools };
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

/** Hosts differ in whether a model may go on with a message of its own; every model understands this. */
const GO_ON: ChatMessage = {
  role: 'user',
  content:
    'Your last message broke off. Go on with it from exactly where it ends: begin with the very next word, repeat nothing, say nothing about it, keep language and formatting.',
};

async function toChatMessages(
  deps: Pick<BotDeps, 'client' | 'clock' | 'conversations'>,
  order: AnswerOrder & Pick<Guidance, 'systemPrompt'>,
  signal: AbortSignal,
): Promise<ChatMessage[]> {
  const { question, model, systemPrompt, prefix } = order;
  const seesPhotos = model.acceptsImages !== false;
  if (question.attachments.length > 0 && !seesPhotos) throw new AnswerFailedError({ kind: 'blind' });
  const asked = await deps.conversations.listPath(question.id);
  const begun = { ...question, role: 'assistant', content: breakOffText(prefix).known, attachments: [] } as const;
  const path = prefix === '' ? asked : [...asked, begun];
  const context = buildContext({ path, systemPrompt, contextLength: model.contextLength });
  const withPhotos = context.filter((message) => message.attachments.length > 0).slice(-MAX_PHOTOS);
  const messages: ChatMessage[] = [];
  for (const message of context) {
    const parts = seesPhotos && withPhotos.includes(message) ? await toContentParts(deps, message, signal) : undefined;
    messages.push({ role: message.role, content: parts ?? toPlainContent(message) });
  }
  if (prefix !== '') messages.push(GO_ON);
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
