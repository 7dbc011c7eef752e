import { AsyncLocalStorage } from 'node:async_hooks';

/** Attributes of a span, for dashboards and traces. Must not contain secrets or users' messages. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A span in progress. */
export interface Span {
  /** Runs `action` so that spans it begins, now or later, become children of this one. */
  run<Result>(action: () => Result): Result;
  /** Adds attributes; later values win. */
  record(attributes: SpanAttributes): void;
  /** Ends the span, as failed if there is an error. Only the first call has an effect. */
  end(error?: unknown): void;
}

/**
 * Receiver of spans and events; metrics and traces are observers. Never throws and has no effect on the observed code.
 */
export interface Observer {
  /** Begins a span. @param name its kind, one of a few: `http request`, `telegram call`, … */
  begin(name: string, attributes?: SpanAttributes): Span;
  /** Records an event without duration. */
  emit(name: string, attributes: SpanAttributes): void;
}

const UNWATCHED: Span = { run: (action) => action(), record: () => {}, end: () => {} };

/** Observer that does nothing. */
export const noObserver: Observer = { begin: () => UNWATCHED, emit: () => {} };

/** Runs `action` within a span, to which it may add attributes by `record`. */
export async function observe<Result>(
  observer: Observer,
  name: string,
  attributes: SpanAttributes,
  action: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = observer.begin(name, attributes);
  try {
    const result = await span.run(() => action(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Callbacks for the begin and end of spans, from which `createObserver` makes an observer. */
export interface SpanListener<Token> {
  /** True if parents are not needed, so that they are not tracked. Default false. */
  readonly isFlat?: boolean;
  /** @param parent token of the parent span; undefined if `isFlat`. */
  onBegin(name: string, attributes: SpanAttributes, parent: Token | undefined): Token;
  /** @param attributes all attributes of the span. @param error undefined on success. */
  onEnd(token: Token, name: string, attributes: SpanAttributes, error: unknown): void;
  /** Called for events. Default: ignored. */
  readonly onEvent?: (name: string, attributes: SpanAttributes) => void;
}

export interface TrackingObserver<Token> extends Observer {
  /** Returns the token of the span that runs this code. Undefined outside of spans, and if the listener `isFlat`. */
  readCurrent(): Token | undefined;
}

/** Creates an observer that calls a listener and tracks the current span. */
export function createObserver<Token>(listener: SpanListener<Token>): TrackingObserver<Token> {
  const current = listener.isFlat ? undefined : new AsyncLocalStorage<Token>();
  return {
    readCurrent: () => current?.getStore(),
    emit: (name, attributes) => listener.onEvent?.(name, attributes),
    begin(name, attributes = {}) {
      let allAttributes = attributes;
      let isOver = false;
      const token = listener.onBegin(name, attributes, current?.getStore());
      return {
        run: (action) => (current ? current.run(token, action) : action()),
        record(moreAttributes) {
          allAttributes = { ...allAttributes, ...moreAttributes };
        },
        end(error) {
          if (isOver) return;
          isOver = true;
          listener.onEnd(token, name, allAttributes, error);
        },
      };
    },
  };
}

/** Combines observers into one. */
export function joinObservers(observers: readonly Observer[]): Observer {
  const [first, ...others] = observers;
  if (!first) return noObserver;
  if (others.length === 0) return first;
  const rest = joinObservers(others);
  return {
    emit(name, attributes) {
      first.emit(name, attributes);
      rest.emit(name, attributes);
    },
    begin(name, attributes) {
      const spans = [first.begin(name, attributes), rest.begin(name, attributes)] as const;
      return {
        run: (action) => spans[0].run(() => spans[1].run(action)),
        record: (moreAttributes) => spans.forEach((span) => void span.record(moreAttributes)),
        end: (error) => spans.forEach((span) => void span.end(error)),
      };
    },
  };
}
