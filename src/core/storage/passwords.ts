import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { QueueFullError, WorkQueue } from '../../lib/work-queue.ts';
import { QuotaExceededError, StorageUnavailableError } from './storage.ts';

/** Hashes and checks passwords of files. Hashing is slow by design, so clients are served round-robin. */
export type Passwords = ReturnType<typeof createPasswords>;

/** 16 MiB and about a quarter of a second: one of the settings for scrypt in OWASP's "Password Storage Cheat Sheet". */
const COST = { N: 16_384, r: 8, p: 5 } satisfies ScryptOptions;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MAX_CONCURRENT = 2;
/** The same as the maximum of concurrent uploads of one client. */
const MAX_WAITING_PER_CLIENT = 20;
const MAX_WAITING = 400;
const RETRY_AFTER_MS = 10_000;

export function createPasswords() {
  const queue = new WorkQueue({
    total: MAX_CONCURRENT,
    maxWaiting: MAX_WAITING,
    maxWaitingPerOwner: MAX_WAITING_PER_CLIENT,
  });
  const queued = <Result>(client: string, work: () => Promise<Result>): Promise<Result> =>
    queue.run(work, { owner: client }).catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error;
      throw error.isOwn
        ? new QuotaExceededError(`At most ${MAX_WAITING_PER_CLIENT} passwords at a time.`, RETRY_AFTER_MS)
        : new StorageUnavailableError('Too many passwords at once', RETRY_AFTER_MS);
    });

  return {
    /**
     * @param client a network or a user; its requests wait in one queue.
     * @throws QuotaExceededError if too many passwords of this client wait; StorageUnavailableError if too many wait in
     * total.
     */
    hash: (password: string, client: string): Promise<string> =>
      queued(client, async () => {
        const salt = randomBytes(SALT_BYTES);
        const hash = await derive(password, salt, COST);
        return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
      }),
    /** Compares in constant time. Throws as `hash` does. */
    check: (password: string, kept: string, client: string): Promise<boolean> =>
      queued(client, async () => {
        const [kind, N, r, p, salt = '', hash = ''] = kept.split('$');
        if (kind !== 'scrypt') return false;
        const cost = { N: Number(N), r: Number(r), p: Number(p) };
        const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
        const expected = Buffer.from(hash, 'base64url');
        return expected.length === derived.length && timingSafeEqual(expected, derived);
      }),
  };
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, cost, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
