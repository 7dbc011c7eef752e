import { estimateTokens } from './estimate-tokens.ts';
import type { Attachment, StoredMessage } from './stored-message.ts';

export interface ContextOptions {
  /** From the root to the message that is to be answered, oldest first. */
  readonly path: readonly StoredMessage[];
  readonly systemPrompt?: string | undefined;
  /** Tokens of prompt and answer together, where the model's are known. */
  readonly contextLength?: number | undefined;
}

/** One message as a model is to see it. */
export interface ContextMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly attachments: readonly Attachment[];
}

/** What nearly every model of today has; a model that has less says so in its provider's list. */
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** The answer's share of the context: a quarter, at most this. */
const MAX_ANSWER_TOKENS = 8192;
/** Role and separators of a message in the usual chat templates. */
const TOKENS_PER_MESSAGE = 4;
/** What vision models charge for a picture of usual size. */
const TOKENS_PER_PICTURE = 1000;
/** Tokens are estimated, and every vendor cuts words differently: this share of the budget stays free. */
const SAFETY = 0.9;

/**
 * The messages that fit into a model's context: the system prompt and the newest message always, then as many of the ones before as there is room for.
 * What falls out is the oldest; an answer never stands first without its question. Messages without text and pictures are left out.
 */
export function buildContext(options: ContextOptions): readonly ContextMessage[] {
  const system: ContextMessage[] = options.systemPrompt
    ? [{ role: 'system', content: options.systemPrompt, attachments: [] }]
    : [];
  let budget = toPromptTokens(options.contextLength) - sumTokens(system);

  const kept: ContextMessage[] = [];
  for (const message of options.path.filter(hasContent).reverse()) {
    budget -= countTokens(message);
    if (budget < 0 && kept.length > 0) break;
    kept.unshift({ role: message.role, content: message.content, attachments: message.attachments });
  }
  while (kept.length > 1 && kept[0]?.role === 'assistant') kept.shift();
  return [...system, ...kept];
}

/** How many tokens the messages of a request may have, so that the answer has room. Undefined is a length that nobody knows. */
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
  const pictureCount = message.attachments.filter(({ kind }) => kind === 'photo').length;
  return estimateTokens(message.content) + TOKENS_PER_MESSAGE + pictureCount * TOKENS_PER_PICTURE;
}
