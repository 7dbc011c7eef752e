/** Promises that run in the background and are awaited on shutdown. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  run<Result>(work: Promise<Result>): Promise<Result> {
    const settled: Promise<unknown> = work.then(
      () => this.#running.delete(settled),
      () => this.#running.delete(settled),
    );
    this.#running.add(settled);
    return work;
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
