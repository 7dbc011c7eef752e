import type { ChatPart } from '../chat-answer.ts';
import type { GrowingOutcome } from '../chat-outcome.ts';

/** Counts like the usual tokens of an image, whatever its size. */
const IMAGE_BYTES = 4000;

/** Updates the outcome from the parts of an event. */
export function recordParts(outcome: GrowingOutcome, parts: readonly ChatPart[]): void {
  let hasDelta = false;
  for (const part of parts) {
    if (part.type === 'usage') outcome.usage = part.usage;
    else if (part.type === 'finish') outcome.finishReason = part.reason;
    else if (part.type !== 'source') {
      hasDelta = true;
      outcome.deltaBytes += part.type === 'image' ? IMAGE_BYTES : Buffer.byteLength(textOf(part));
    }
  }
  if (hasDelta) outcome.deltaCount += 1;
}

function textOf(part: Exclude<ChatPart, { readonly type: 'usage' | 'finish' | 'source' | 'image' }>): string {
  return part.type === 'tool-call-delta' ? part.arguments : part.text;
}
