import type { ChatPart } from '../chat-answer.ts';
import type { GrowingOutcome } from '../chat-outcome.ts';

/** Updates the outcome from the parts of an event. */
export function recordParts(outcome: GrowingOutcome, parts: readonly ChatPart[]): void {
  let hasDelta = false;
  for (const part of parts) {
    if (part.type === 'usage') outcome.usage = part.usage;
    else if (part.type === 'finish') outcome.finishReason = part.reason;
    else if (part.type !== 'source') {
      hasDelta = true;
      outcome.deltaBytes += Buffer.byteLength(part.type === 'tool-call-delta' ? part.arguments : part.text);
    }
  }
  if (hasDelta) outcome.deltaCount += 1;
}
