import { estimateTokens } from '../../core/conversations/index.ts';
import type { PromptMessage } from './prompt-message.ts';

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
 * Returns the messages that fit into the model's context beside the system prompt: always the newest message, then as
 * many earlier ones as fit. The oldest are dropped; the first message is never an answer without its question. Messages
 * without text and attachments are omitted.
 * @param contextLength context length of the model in tokens; undefined if unknown.
 */
export function fitMessages(
  messages: readonly PromptMessage[],
  systemPrompt: string | undefined,
  contextLength: number | undefined,
): readonly PromptMessage[] {
  let tokensLeft = toPromptTokens(contextLength) - (systemPrompt ? countTextTokens(systemPrompt) : 0);
  const fitting: PromptMessage[] = [];
  for (const message of messages.filter(hasContent).toReversed()) {
    tokensLeft -= countTokens(message);
    if (tokensLeft < 0 && fitting.length > 0) break;
    fitting.unshift(message);
  }
  // A reminder goes with a later question.
  const firstQuestion = fitting.findIndex(({ isReminder, stored }) => !isReminder && stored.role === 'user');
  return fitting.filter(({ isReminder }, index) => isReminder || index >= firstQuestion);
}

/** Returns the maximum number of prompt tokens that leaves room for the answer. Undefined: unknown context length. */
export function toPromptTokens(contextLength = DEFAULT_CONTEXT_TOKENS): number {
  const answerTokens = Math.min(MAX_ANSWER_TOKENS, Math.floor(contextLength / 4));
  return (contextLength - answerTokens) * SAFETY;
}

function hasContent({ text, stored: { attachments } }: PromptMessage): boolean {
  return text.trim() !== '' || attachments.length > 0;
}

function countTokens({ text, pdfs, stored: { attachments } }: PromptMessage): number {
  const imageCount = attachments.filter(({ kind }) => kind === 'photo').length;
  return countTextTokens(text) + imageCount * TOKENS_PER_IMAGE + sumTokens(pdfs);
}

function countTextTokens(text: string): number {
  return estimateTokens(text) + TOKENS_PER_MESSAGE;
}

export function sumTokens(files: readonly { readonly tokens: number }[]): number {
  return files.reduce((sum, { tokens }) => sum + tokens, 0);
}
