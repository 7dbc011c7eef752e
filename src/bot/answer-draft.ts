import { ReplyStoppedError } from './reply-queue.ts';

/** How far an answer has come: it waits for its turn, is being written and shows nothing yet, shows, or is written to its end. */
type DraftPhase = 'waiting' | 'silent' | 'speaking' | 'over';

/** An answer in the making, whose question can still change. */
export interface AnswerDraft {
  readonly phase: DraftPhase;
  /** No model is asked before: something that belongs to the question may be on its way. Milliseconds since the epoch. */
  readonly heldUntil: number;
  holdUntil(time: number): void;
  /** A model is asked. The signal aborts with a `ReplyStoppedError` when the question has changed. */
  begin(): AbortSignal;
  /** The first words are there. */
  speak(): void;
  end(): void;
  /** The question has changed: what is being written is written anew. Does nothing for what has not begun. */
  restart(): void;
}

export function createAnswerDraft(): AnswerDraft {
  let phase: DraftPhase = 'waiting';
  let heldUntil = 0;
  let attempt = new AbortController();
  return {
    get phase() {
      return phase;
    },
    get heldUntil() {
      return heldUntil;
    },
    holdUntil(time) {
      heldUntil = time;
    },
    begin() {
      phase = 'silent';
      attempt = new AbortController();
      return attempt.signal;
    },
    speak() {
      phase = 'speaking';
    },
    end() {
      phase = 'over';
    },
    restart() {
      attempt.abort(new ReplyStoppedError('new-question'));
    },
  };
}
