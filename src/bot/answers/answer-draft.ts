import { ReplyStoppedError } from './reply-queue.ts';

/**
 * How far an answer has come: it waits for its turn, is being written and shows nothing yet, shows, is written to its end, and the chat
 * shows all of it.
 */
type DraftPhase = 'waiting' | 'silent' | 'speaking' | 'over' | 'shown';

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
  show(): void;
  /** The question has changed. @returns whether what is being written is written anew; false where nothing is. */
  restart(): boolean;
  /** When the newest words of the question came. Milliseconds since the epoch. */
  readonly askedAt: number;
  askMore(time: number): void;
}

export function createAnswerDraft(createdAt: number): AnswerDraft {
  let phase: DraftPhase = 'waiting';
  let heldUntil = 0;
  let askedAt = createdAt;
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
    show() {
      phase = 'shown';
    },
    restart() {
      const isWritten = phase === 'silent' || phase === 'speaking';
      if (isWritten) attempt.abort(new ReplyStoppedError('new-question'));
      return isWritten;
    },
    get askedAt() {
      return askedAt;
    },
    askMore(time) {
      askedAt = time;
    },
  };
}
