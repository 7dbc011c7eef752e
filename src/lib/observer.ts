import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of a piece of work, for dashboards and traces: no secrets, nobody's words. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work while it is under way. */
export interface Work {
  /** What `action` begins, now or later, counts as a part of this work. */
  run<Result>(action: () => Result): Result;
  /** Adds to what is known of it; the last word counts. */
  note(facts: Facts): void;
  /** The work is over; with an error it has failed. Only the first call counts. */
  end(error?: unknown): void;
}

/** Watches work from outside: metrics and traces are observers. Never throws, and changes nothing of the work. */
export interface Observer {
  /** @param name the kind of work, one of a few: `http request`, `telegram call`, … */
  begin(name: string, facts?: Facts): Work;
  /** Something has happened that takes no time of its own. */
  tell(name: string, facts: Facts): void;
}

const UNWATCHED: Work = { run: (action) => action(), note: () => {}, end: () => {} };

/** Watches nothing. */
export const noObserver: Observer = { begin: () => UNWATCHED, tell: () => {} };

/** Does `action` under the eyes of the observer; it may say more of the work by `note`. */
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

/** Who hears of work, and of its end: what an observer is made of. */
export interface WorkListener<Token> {
  /** Does not ask what is a part of what: then nothing has to remember it. Default false. */
  readonly isFlat?: boolean;
  /** @param parent what this listener has given for the work of which this is a part; undefined where it `isFlat`. */
  onBegin(name: string, facts: Facts, parent: Token | undefined): Token;
  /** @param facts all that was said of the work. @param error undefined where it went well. */
  onEnd(token: Token, name: string, facts: Facts, error: unknown): void;
  /** Of what takes no time. Default nothing. */
  readonly onTell?: (name: string, facts: Facts) => void;
}

/** An observer that tells one listener, and remembers what is a part of what. */
export function createObserver<Token>(listener: WorkListener<Token>): Observer {
  const current = listener.isFlat ? undefined : new AsyncLocalStorage<Token>();
  return {
    tell: (name, facts) => listener.onTell?.(name, facts),
    begin(name, facts = {}) {
      let known = facts;
      let isOver = false;
      const token = listener.onBegin(name, facts, current?.getStore());
      return {
        run: (action) => (current ? current.run(token, action) : action()),
        note(more) {
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

/** Tells all of them. */
export function joinObservers(observers: readonly Observer[]): Observer {
  const [first, ...others] = observers;
  if (!first) return noObserver;
  if (others.length === 0) return first;
  const rest = joinObservers(others);
  return {
    tell(name, facts) {
      first.tell(name, facts);
      rest.tell(name, facts);
    },
    begin(name, facts) {
      const works = [first.begin(name, facts), rest.begin(name, facts)] as const;
      return {
        run: (action) => works[0].run(() => works[1].run(action)),
        note: (more) => works.forEach((work) => void work.note(more)),
        end: (error) => works.forEach((work) => void work.end(error)),
      };
    },
  };
}
