/** Reason of an aborted signal: the first cause of the stop. */
export class WorkStoppedError extends Error {
  override readonly name = 'WorkStoppedError';
  /**
   * `user`: pressed Stop; `shutdown`: the process ends; `chat`: it accepts no messages; `other-process`: has taken over
   * the chat; `new-question`: the answer is generated again.
   */
  readonly by: 'user' | 'shutdown' | 'chat' | 'other-process' | 'new-question';
  constructor(by: WorkStoppedError['by']) {
    super(`The work was stopped by ${by}`);
    this.by = by;
  }
}
