import type { ServerResponse } from 'node:http';
import { HttpError, unavailable } from '../../http-error.ts';

/** Limits the memory that the forms of open requests occupy. */
export interface HeldBytes {
  /**
   * Returns a function that counts bytes of a request until its response closes. It throws HttpError 503 if too many
   * bytes are held in total, 429 if too many are held for this user.
   */
  open(userId: number, response: ServerResponse): (bytes: number) => void;
}

/** @param maxBytes in total; one user may hold half of it. */
export function createHeldBytes(maxBytes: number): HeldBytes {
  const byUser = new Map<number, number>();
  let total = 0;
  const change = (userId: number, bytes: number) => {
    total += bytes;
    const next = (byUser.get(userId) ?? 0) + bytes;
    if (next === 0) byUser.delete(userId);
    else byUser.set(userId, next);
  };
  return {
    open(userId, response) {
      let own = 0;
      response.once('close', () => {
        change(userId, -own);
        own = 0;
      });
      return (bytes) => {
        if (response.closed) return;
        if (total + bytes > maxBytes) throw unavailable('Too many files are being processed right now.', 5);
        if ((byUser.get(userId) ?? 0) + bytes > maxBytes / 2) throw new HttpError(SHARE_TAKEN);
        own += bytes;
        change(userId, bytes);
      };
    },
  };
}

const SHARE_TAKEN = {
  status: 429,
  type: 'rate_limit_error',
  code: 'too_many_requests',
  message: 'Too many files of your requests are being processed right now.',
  headers: { 'retry-after': '5' },
};
