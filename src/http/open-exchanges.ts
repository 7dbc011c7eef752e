import type { ServerResponse } from 'node:http';
import { unavailable } from './http-error.ts';

/** The client went away before its answer was complete: the reason of the abort that follows. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('The client closed the connection');
  }
}

/** Requests that cost something while they are open. */
export interface OpenExchanges {
  /**
   * Counts a request until its response closes. The signal aborts as soon as the client is gone, or with the reason of `abortAll`.
   * @throws HttpError 503 when too many are open.
   */
  open(response: ServerResponse): AbortSignal;
  /** Aborts everything that is open. */
  abortAll(reason: Error): void;
}

/** Bounds how many exchanges are open at once: more would only make all of them slow. */
export function createOpenExchanges(limits: { readonly maxOpen: number }): OpenExchanges {
  const open = new Set<AbortController>();
  return {
    open(response) {
      if (open.size >= limits.maxOpen) throw unavailable('Too many requests are being answered right now.', 1);
      const controller = new AbortController();
      open.add(controller);
      response.on('close', () => {
        open.delete(controller);
        if (!response.writableFinished) controller.abort(new ClientGoneError());
      });
      return controller.signal;
    },
    abortAll(reason) {
      for (const controller of open) controller.abort(reason);
    },
  };
}
