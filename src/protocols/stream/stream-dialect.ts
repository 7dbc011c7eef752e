import type { ChatEvent, ChatStream } from '../../core/models/contract/chat-answer.ts';
import type { ChatOutcome } from '../../core/models/contract/chat-outcome.ts';
import type { HttpErrorFacts } from '../http-error.ts';

/** Text of events, in parts if it is long. Each part is made when the one before it is written. */
export type Printed = string | Iterable<string>;

/** Prints one stream in a dialect as server-sent events, each ending with a blank line; empty texts are not sent. */
export interface StreamPrinter<Event = ChatEvent> {
  /** Prints an event of the provider. */
  print(event: Event): Printed;
  /** Prints the end of a complete answer, after storing what has to be stored. */
  end(): Printed | Promise<Printed>;
}

/** A `ChatStream`, or another stream with the same facts. */
export interface AnswerStream<Event> extends AsyncIterable<Event> {
  readonly outcome: Pick<ChatOutcome, 'provider' | 'model' | 'finishReason'>;
}

/** The parts of a stream in which dialects differ. */
export interface StreamDialect<Event = ChatEvent, Stream = ChatStream> {
  /** Called when the stream has opened. */
  readonly createPrinter: (stream: Stream) => StreamPrinter<Event>;
  /** Prints an error that ends the stream. */
  readonly printError: (error: HttpErrorFacts) => Printed;
  /** Sent when nothing else was sent for some time, before the first event as well. */
  readonly ping: string;
}

/** Comment of the event stream format: keeps the connection alive and is ignored by clients. */
export const PING_COMMENT = ': ping\n\n';
