import { MAX_ARGUMENT_BYTES } from '../../../../protocols/print-arguments.ts';
import type { ChatPart } from '../../contract/chat-answer.ts';
import type { GrowingOutcome } from '../../contract/chat-outcome.ts';
import { ProviderStreamError } from '../../contract/model-errors.ts';
import { MAX_COMPLETION_BYTES } from './collect-completion.ts';

/** Counts like the usual tokens of an image, whatever its size. */
const IMAGE_BYTES = 4000;

/**
 * Updates the outcome from the parts of an event.
 * @throws ProviderStreamError if the answer or the arguments of its tool calls are too large.
 */
export function recordParts(outcome: GrowingOutcome, parts: readonly ChatPart[]): void {
  let hasDelta = false;
  for (const part of parts) {
    if (part.type === 'usage') outcome.usage = part.usage;
    else if (part.type === 'finish') outcome.finishReason = part.reason;
    else if (part.type !== 'source') {
      hasDelta = true;
      const isCall = part.type === 'tool-call-delta';
      const bytes = part.type === 'image' ? IMAGE_BYTES : Buffer.byteLength(isCall ? part.arguments : part.text);
      outcome.deltaBytes += bytes;
      if (isCall) outcome.argumentBytes += bytes;
    }
  }
  if (!hasDelta) return;
  outcome.deltaCount += 1;
  const { provider, deltaBytes, argumentBytes } = outcome;
  if (deltaBytes > MAX_COMPLETION_BYTES)
    throw new ProviderStreamError(provider, `${provider} sent an answer that is too large`);
  if (argumentBytes > MAX_ARGUMENT_BYTES)
    throw new ProviderStreamError(provider, `${provider} sent a tool call that is too large`);
}
