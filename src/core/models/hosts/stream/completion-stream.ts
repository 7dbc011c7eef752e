import { type ChatCompletion, type ChatPart, type ChatStream, listParts } from '../../contract/chat-answer.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import { deliverInSteps, hasLongFields } from './split-event.ts';

/**
 * Converts a completion to a stream, for hosts that answer a stream request with plain JSON.
 * @throws ProviderUnavailableError if it is too large.
 */
export function toStream({ choices, outcome }: ChatCompletion): ChatStream {
  const parts: ChatPart[] = choices.flatMap(listParts);
  if (outcome.usage) parts.push({ type: 'usage', usage: outcome.usage });
  const { provider } = outcome;
  if (hasLongFields(parts))
    throw new ProviderUnavailableError(provider, `${provider} sent an answer that is too large`);
  const streamed = { ...outcome, argumentBytes: 0 };
  return {
    outcome: streamed,
    [Symbol.asyncIterator]: () => deliverInSteps({ parts }, streamed),
  };
}
