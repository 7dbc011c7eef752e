import type { ChatPart } from '../../core/models/contract/chat-answer.ts';
import type { ProviderError } from '../../core/models/contract/model-errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** Reads the events of one answer in one dialect. */
export interface EventReader {
  /** Whether nothing of the answer is missing. Then it does not matter if the connection breaks off. */
  readonly isComplete: boolean;
  /** Returns the meaning of an event, or undefined if the event does not belong to an answer of this dialect. */
  read(event: JsonObject): ReadEvent | undefined;
}

/** Meaning of an event. */
export type ReadEvent =
  | {
      readonly parts: readonly ChatPart[];
      readonly isLast?: boolean;
      /** True if the answer has not begun: the event is delivered with the first one of the answer. */
      readonly isEarly?: boolean;
      /** True if clients of the dialect could not read the event as it is. */
      readonly isIrregular?: boolean;
    }
  /** The host sent an error. */
  | { readonly failure: ProviderError }
  /** The event is not delivered. */
  | 'ignored';
