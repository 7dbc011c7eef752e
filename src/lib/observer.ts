import { AsyncLocalStorage } from 'node:async_hooks';

/** Attributes of a span, for dashboards and traces. Must not contain secrets or users' messages. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span in progress. */
export interface Work {
  /** Runs `action` so that spans it begins, now or later, become children of this one. */
  run<Result>(action: () => Result): Result;
  /** Adds attributes; later values win. */
  record(facts: Facts): void;
  /** Ends the span, as failed if there is an error. Only the first call has an effect. */
  end(error?: unknown): void;
}

/**
 * Receiver of spans and events; metrics and traces are observers. Never throws and has no effect on the observed code.
 */
export interface Observer {
  /** Begins a span. @param name its kind, one of a few: `http request`, `telegram call`, … */
  begin(name: string, facts?: Facts): Work;
  /** Records an event without duration. */
  emit(name: string, facts: Facts): void;
}

const UNWATCHED: Work = { run: (action) => action(), record: () => {}, end: () => {} };

/** Observer that does nothing. */
export const noObserver: Observer = { begin: () => UNWATCHED, emit: () => {} };

/** Runs `action` within a span, to which it may add attributes by `note`. */
export async function observe<Result>(
  observer: Observer,
  name: string,
  facts: Facts,
  action: (work: Work) => Promise<Result>,
): Promise<Result> {
  const work = observer.begin(name, facts);
  try {
    const result = await work.run(() => action(work));
    work.end();
    return result;
  } catch (error) {
    work.end(error);
    throw error;
  }
}

/** Callbacks for the begin and end of spans, from which `createObserver` makes an observer. */
export interface WorkListener<Token> {
  /** True if parents are not needed, so that they are not tracked. Default false. */
  readonly isFlat?: boolean;
  /** @param parent token of the parent span; undefined if `isFlat`. */
  onBegin(name: string, facts: Facts, parent: Token | undefined): Token;
  /** @param facts all attributes of the span. @param error undefined on success. */
  onEnd(token: Token, name: string, facts: Facts, error: unknown): void;
  /** Called for events. Default: ignored. */
  readonly onTell?: (name: string, facts: Facts) => void;
}

/** Creates an observer that calls a listener and tracks the current span. */
export function createObserver<Token>(listener: WorkListener<Token>): Observer {
  const current = listener.isFlat ? undefined : new AsyncLocalStorage<Token>();
  return {
    emit: (name, facts) => listener.onTell?.(name, facts),
    begin(name, facts = {}) {
      let known = facts;
      let isOver = false;
      const token = listener.onBegin(name, facts, current?.getStore());
      return {
        run: (action) => (current ? current.run(token, action) : action()),
        record(more) {
          known = { ...known, ...more };
        },
        end(error) {
          if (isOver) return;
          isOver = true;
          listener.onEnd(token, name, known, error);
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
    emit(name, facts) {
      first.emit(name, facts);
      rest.emit(name, facts);
    },
    begin(name, facts) {
      const works = [first.begin(name, facts), rest.begin(name, facts)] as const;
      return {
        run: (action) => works[0].run(() => works[1].run(action)),
        record: (more) => works.forEach((work) => void work.record(more)),
        end: (error) => works.forEach((work) => void work.end(error)),
      };
    },
  };
}
