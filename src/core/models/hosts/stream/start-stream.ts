import type { ChatEvent, ChatStream } from '../../contract/chat-answer.ts';
import type { ChatOutcome } from '../../contract/chat-outcome.ts';
import { ProviderStreamError, ProviderUnavailableError } from '../../contract/model-errors.ts';

interface Start {
  /** Updated by `events`. */
  readonly outcome: ChatOutcome;
  /** Called when the first event has arrived. */
  readonly onFirst: () => void;
  /** Converts an error of `events`, before or after the first event. */
  readonly toError: (error: unknown, isUnderWay: boolean) => unknown;
}

/**
 * Returns events as a stream when the first one has arrived.
 * @throws ProviderUnavailableError if there is none; the result of `toError`.
 */
export async function startStream(
  events: AsyncGenerator<ChatEvent, void, undefined>,
  { outcome, onFirst, toError }: Start,
): Promise<ChatStream> {
  const { provider } = outcome;
  try {
    const first = await events.next();
    if (first.done) throw new ProviderUnavailableError(provider, `${provider} returned an empty answer`);
    onFirst();
    return { outcome, [Symbol.asyncIterator]: () => continueWith(first.value, events, toError) };
  } catch (error) {
    const known = toError(error, false);
    // Nothing was delivered yet, so another provider may be tried.
    throw known instanceof ProviderStreamError
      ? new ProviderUnavailableError(provider, known.message, { cause: known })
      : known;
  }
}

/** Not a generator, which would take several promises for each event. */
function continueWith(
  first: ChatEvent,
  events: AsyncGenerator<ChatEvent, void, undefined>,
  toError: Start['toError'],
): AsyncIterator<ChatEvent, void> {
  let isFirst = true;
  return {
    next() {
      if (!isFirst) return events.next().catch((error: unknown) => Promise.reject(toError(error, true)));
      isFirst = false;
      return Promise.resolve({ value: first });
    },
    return: () => events.return(),
  };
}
