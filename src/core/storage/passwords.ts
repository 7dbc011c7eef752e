import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createSlots, SlotsFullError } from '../../lib/slots.ts';
import { StorageUnavailableError } from './storage.ts';

/** Hashes and checks passwords of files: slow on purpose, and only a few at a time. */
export interface Passwords {
  /** Throws StorageUnavailableError where too many wait. */
  hash(password: string): Promise<string>;
  /** Compares in constant time. Throws StorageUnavailableError where too many wait. */
  check(password: string, hash: string): Promise<boolean>;
}

/** 16 MiB and about a quarter of a second: one of the settings that OWASP's "Password Storage Cheat Sheet" names for scrypt. */
const COST = { N: 16_384, r: 8, p: 5 } satisfies ScryptOptions;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MAX_CONCURRENT = 2;
const MAX_WAITING = 50;
const RETRY_AFTER_MS = 10_000;

export function createPasswords(): Passwords {
  const slots = createSlots({ atOnce: MAX_CONCURRENT, maxWaiting: MAX_WAITING });
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
    slots.run(work).catch((error: unknown) => {
      if (!(error instanceof SlotsFullError)) throw error;
      throw new StorageUnavailableError('Too many passwords at once', RETRY_AFTER_MS);
    });

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES);
        const hash = await derive(password, salt, COST);
        return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
      }),
    check: (password, kept) =>
      inTurn(async () => {
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
