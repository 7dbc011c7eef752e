import { type Attachment, estimateTokens, type StoredMessage } from '../../core/conversations/index.ts';

export interface ContextOptions {
  /** Messages from the root to the one to be answered, oldest first. */
  readonly path: readonly StoredMessage[];
  readonly systemPrompt?: string | undefined;
  /** Context length of the model in tokens, if known. */
  readonly contextLength?: number | undefined;
  /** Returns the tokens of a message beside its text and its images. Default: none. */
  readonly countFileTokens?: ((message: StoredMessage) => number) | undefined;
}

/** One message of the prompt. */
export interface ContextMessage {
  /** Id of the stored message; undefined for the system prompt. */
  readonly id: number | undefined;
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly attachments: readonly Attachment[];
}

/** Minimum of nearly every current model; a smaller context length is part of the provider's model list. */
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** Tokens reserved for the answer: a quarter of the context, at most this number. */
const MAX_ANSWER_TOKENS = 8192;
/** Role and separators of a message in common chat templates. */
const TOKENS_PER_MESSAGE = 4;
/** Cost of an image of usual size in vision models. */
const TOKENS_PER_IMAGE = 1000;
/** Usable share of the budget: counts are estimates, and tokenizers differ. */
const SAFETY = 0.9;

/**
 * Returns the messages that fit into the model's context: always the system prompt and the newest message, then as many
 * earlier ones as fit. The oldest are dropped; the first message is never an answer without its question. Messages
 * without text and attachments are omitted.
 */
export function buildContext(options: ContextOptions): readonly ContextMessage[] {
  const system: ContextMessage[] = options.systemPrompt
    ? [{ id: undefined, role: 'system', content: options.systemPrompt, attachments: [] }]
    : [];
  let budget = toPromptTokens(options.contextLength) - sumTokens(system);

  const kept: ContextMessage[] = [];
  for (const message of options.path.filter(hasContent).reverse()) {
    budget -= countTokens(message) + (options.countFileTokens?.(message) ?? 0);
    if (budget < 0 && kept.length > 0) break;
    const { id, role, content, attachments } = message;
    kept.unshift({ id, role, content, attachments });
  }
  while (kept.length > 1 && kept[0]?.role === 'assistant') kept.shift();
  return [...system, ...kept];
}

/** Returns the maximum number of prompt tokens that leaves room for the answer. Undefined: unknown context length. */
export function toPromptTokens(contextLength = DEFAULT_CONTEXT_TOKENS): number {
  const answerTokens = Math.min(MAX_ANSWER_TOKENS, Math.floor(contextLength / 4));
  return (contextLength - answerTokens) * SAFETY;
}

function hasContent(message: StoredMessage): boolean {
  return message.content.trim() !== '' || message.attachments.length > 0;
}

function sumTokens(messages: readonly ContextMessage[]): number {
  return messages.reduce((sum, message) => sum + countTokens(message), 0);
}

function countTokens(message: Pick<ContextMessage, 'content' | 'attachments'>): number {
  const imageCount = message.attachments.filter(({ kind }) => kind === 'photo').length;
  return estimateTokens(message.content) + TOKENS_PER_MESSAGE + imageCount * TOKENS_PER_IMAGE;
}
