import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { QueueFullError, WorkQueue } from '../../../lib/async/work-queue.ts';
import type { Clock } from '../../../lib/clock.ts';
import { toClientNetworks } from '../../../lib/http/network.ts';
import type { FileRow } from '../file-rows.ts';
import { type PasswordClient, QuotaExceededError, type Storage, StorageUnavailableError } from '../storage.ts';

/** Hashes of the passwords of files. */
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

/** Hashes and checks passwords. Hashing is slow by design, so clients are served round-robin. */
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
    check: (password: string, stored: string, client: string): Promise<boolean> =>
      queued(client, async () => {
        const [kind, N, r, p, salt = '', hash = ''] = stored.split('$');
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

interface PasswordCheckDeps {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly findRow: (id: string) => Promise<FileRow | undefined>;
}

/** Creates the check of passwords. The bot and the HTTP API share one, and its counters of wrong passwords. */
export function createPasswordCheck({ clock, passwords, findRow }: PasswordCheckDeps): Storage['checkPassword'] {
  const tries = createPasswordTries(clock);
  return async (id, password, client) => {
    const row = await findRow(id);
    if (!row) return 'wrong';
    if (!row.passwordHash) return 'right';
    const names = toNames(client);
    const retryAfterMs = tries.begin(id, names);
    if (retryAfterMs > 0) return { retryAfterMs };
    try {
      // The widest network: all addresses of one client share a queue.
      const isRight = await passwords.check(password, row.passwordHash, names.at(-1) ?? '');
      if (!isRight) return 'wrong';
      tries.forgive(id, names);
      return 'right';
    } catch (error) {
      tries.forgive(id, names);
      if (error instanceof QuotaExceededError) return { retryAfterMs: error.retryAfterMs };
      throw error;
    }
  };
}

/** Returns the names of a client, the narrowest first. */
function toNames(client: PasswordClient): readonly string[] {
  if ('userId' in client) return [`user:${client.userId}`];
  return toClientNetworks(client.address).map((network) => `address:${network}`);
}

const PERIOD_MS = 15 * 60_000;
/** Wrong passwords for one file in a period, from one client. */
const MAX_FROM_CLIENT = 10;
/**
 * Wrong passwords for one file in a period, from the wider network of a client, which may have many addresses there.
 */
const MAX_FROM_WIDE_NETWORK = 40;
/**
 * Wrong passwords for one file in a period, from all clients. Hashing allows 7200 in a period (two at a time, a quarter
 * of a second each). This limit is a seventh of that. It takes 100 clients to reach it: it stops guessing from many
 * networks, and no single client can use it up.
 */
const MAX_FOR_FILE = 1000;
/** More than hashing allows in a period, so no counter is evicted while it matters. */
const MAX_COUNTERS = 50_000;

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** Limits wrong passwords by file and by client. Evicts the oldest counters when there are too many. */
function createPasswordTries(clock: Clock) {
  const counters = new Map<string, Counter>();
  const find = (key: string): Counter | undefined => {
    const counter = counters.get(key);
    if (counter && counter.endsAt > clock.now()) return counter;
    counters.delete(key);
    return undefined;
  };
  const increment = (key: string) => {
    const counter = find(key) ?? { count: 0, endsAt: clock.now() + PERIOD_MS };
    counter.count++;
    counters.set(key, counter);
    const [oldest] = counters.keys();
    if (counters.size > MAX_COUNTERS && oldest !== undefined) counters.delete(oldest);
  };
  const limitsOf = (fileId: string, client: readonly string[]): ReadonlyMap<string, number> =>
    new Map([
      [fileId, MAX_FOR_FILE],
      ...client.map((name, at) => [`${fileId} ${name}`, at === 0 ? MAX_FROM_CLIENT : MAX_FROM_WIDE_NETWORK] as const),
    ]);
  return {
    /**
     * Counts a try as wrong before its result is known, so concurrent tries can't exceed the limit.
     * @param client names of the client, the narrowest first: its network and the wider one, or a user.
     * @returns milliseconds until the next try is allowed; 0 if this one is.
     */
    begin(fileId: string, client: readonly string[]): number {
      const limits = limitsOf(fileId, client);
      // Refused tries create no counters: these would evict counters of other clients.
      for (const [key, limit] of limits) {
        const counter = find(key);
        if (counter && counter.count >= limit) return Math.max(1, counter.endsAt - clock.now());
      }
      for (const key of limits.keys()) increment(key);
      return 0;
    },
    /** Takes back a try: the password was right, or could not be compared. */
    forgive(fileId: string, client: readonly string[]): void {
      for (const key of limitsOf(fileId, client).keys()) {
        const counter = find(key);
        if (!counter) continue;
        counter.count--;
        if (counter.count <= 0) counters.delete(key);
      }
    },
  };
}
