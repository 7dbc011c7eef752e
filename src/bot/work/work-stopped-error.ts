/** Why work was cut short: the reason of its signal. */
export class WorkStoppedError extends Error {
  override readonly name = 'WorkStoppedError';
  /** `person` pressed Stop; `shutdown` ended the process; `chat` takes no messages any more; `other-process` writes it now; `new-question`: it is written anew. */
  readonly by: 'user' | 'shutdown' | 'chat' | 'other-process' | 'new-question';
  constructor(by: WorkStoppedError['by']) {
    super(`The work was stopped by ${by}`);
    this.by = by;
  }
}

/** Whether another process writes the answer now. */
export function isElsewhere(stop: AbortSignal): boolean {
  return stop.aborted && stop.reason instanceof WorkStoppedError && stop.reason.by === 'other-process';
}
