import { WorkStoppedError } from '../work/work-stopped-error.ts';

/**
 * State of an answer job: `queued`, then `generating` (no text yet), `streaming` (text or effects of tools are
 * visible), `written` (the model has finished), `shown` (the chat shows all of it).
 */
type AnswerState = 'queued' | 'generating' | 'streaming' | 'written' | 'shown';

/** State of one answer. Until it is `written`, a changed question restarts the generation. */
export class AnswerProgress {
  #state: AnswerState = 'queued';
  #attempt = new AbortController();
  readonly #placing = Promise.withResolvers<void>();
  /**
   * Earliest time of the request to the model, as more parts of the question may follow. Milliseconds since the epoch.
   */
  heldUntil = 0;
  /** Arrival of the newest part of the question, milliseconds since the epoch. */
  askedAt: number;

  constructor(askedAt: number) {
    this.askedAt = askedAt;
  }

  get state(): AnswerState {
    return this.#state;
  }

  /** Resolves when the chat has a message of the answer, or the job has ended without one. */
  get placed(): Promise<void> {
    return this.#placing.promise;
  }

  place(): void {
    this.#placing.resolve();
  }

  /** Starts an attempt. @returns a signal that aborts with a `WorkStoppedError` when the question changes. */
  generate(): AbortSignal {
    this.#state = 'generating';
    this.#attempt = new AbortController();
    return this.#attempt.signal;
  }

  stream(): void {
    this.#state = 'streaming';
  }

  finish(): void {
    this.#state = 'written';
  }

  /** Goes back to the state `queued`: the quota does not suffice for now. */
  wait(): void {
    this.#state = 'queued';
  }

  show(): void {
    this.#state = 'shown';
  }

  /** Generates the answer again because its question has changed. @returns false if nothing is being generated. */
  restart(): boolean {
    const isBeingGenerated = this.#state === 'generating' || this.#state === 'streaming';
    if (isBeingGenerated) this.#attempt.abort(new WorkStoppedError('new-question'));
    return isBeingGenerated;
  }
}
