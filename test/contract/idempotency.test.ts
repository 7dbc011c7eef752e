import { hash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/index.ts';
import {
  type Claim,
  createDatabaseIdempotencyStore,
  createIdempotency,
  createMemoryIdempotencyStore,
  type Idempotency,
  IdempotencyConflictError,
  type IdempotencyOptions,
  type IdempotencyStore,
  StillRunningError,
} from '../../src/core/idempotency/index.ts';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const LEASE_MS = 600;
const logger = createLogger({ level: 'silent' });

interface OpenStore {
  readonly store: IdempotencyStore;
  readonly annId: number;
  readonly bobId: number;
  close(): Promise<void>;
}

function describeIdempotency(open: () => Promise<OpenStore>) {
  let services: Idempotency[];
  let number = 0;
  const opened = startBeforeAll(() => open());
  beforeEach(() => {
    number += 1;
    services = [];
    return async () => {
      for (const service of services) await service.close();
    };
  });

  /** Starts the service of another process. */
  const start = (options: IdempotencyOptions = {}) => {
    const service = createIdempotency(
      { store: opened.store, clock: systemClock, logger },
      { leaseMs: LEASE_MS, pollMs: 20, ...options },
    );
    services.push(service);
    return service;
  };
  const request = (body = 'body', userId = opened.annId, key = 'key') => ({
    userId,
    keyHash: hash('sha256', `${number} ${key}`),
    bodyHash: hash('sha256', body),
  });
  const begin = (service: Idempotency, what = request(), signal = new AbortController().signal) =>
    service.begin(what, signal);
  const claim = async (service: Idempotency, what = request()): Promise<Claim> => {
    const begun = await begin(service, what);
    return begun.kind === 'claimed' ? begun.claim : expect.fail('the key is not free');
  };
  const read = async (service: Idempotency, what = request()): Promise<string> => {
    const begun = await begin(service, what);
    if (begun.kind === 'claimed') expect.fail('there is no answer');
    let text = `${begun.answer.status} `;
    for await (const part of begun.body) text += part.toString();
    return text;
  };
  const answer = (text: string, status = 200) => ({
    status,
    headers: { 'content-type': 'text/plain' },
    sizeBytes: Buffer.byteLength(text),
    body: [Buffer.from(text)],
  });

  it('gives the stored answer to later requests of every process', async () => {
    const [one, another] = [start(), start()];
    await (await claim(one)).complete(answer('hello'));
    expect(await read(one)).toBe('200 hello');
    expect(await read(another)).toBe('200 hello');
    const begun = await begin(another);
    expect(begun).toMatchObject({ answer: { headers: { 'content-type': 'text/plain' }, sizeBytes: 5 } });
  });

  it('keeps every byte of large and of empty answers', async () => {
    const service = start();
    const chunks = [1, 300_000, 0, 131_072, 7].map((size) => randomBytes(size));
    const sizeBytes = 431_080;
    await (await claim(service)).complete({ status: 200, headers: {}, sizeBytes, body: chunks });
    const begun = await begin(service);
    const parts: Buffer[] = [];
    if (begun.kind === 'answered') for await (const part of begun.body) parts.push(part);
    expect(Buffer.concat(parts).equals(Buffer.concat(chunks))).toBe(true);
    const empty = request('', opened.annId, 'empty');
    await (await claim(service, empty)).complete(answer('', 204));
    expect(await read(service, empty)).toBe('204 ');
  });

  it('refuses another body, while the request is running and afterwards', async () => {
    const [one, another] = [start(), start()];
    const running = await claim(one);
    await expect(begin(another, request('another'))).rejects.toThrow(IdempotencyConflictError);
    await running.complete(answer('hello'));
    await expect(begin(one, request('another'))).rejects.toThrow(IdempotencyConflictError);
  });

  it('separates users with the same key, and keys of one user', async () => {
    const service = start();
    await (await claim(service)).complete(answer('for Ann'));
    await (await claim(service, request('body', opened.bobId))).complete(answer('for Bob'));
    await (await claim(service, request('body', opened.annId, 'second'))).complete(answer('second'));
    expect(await read(service)).toBe('200 for Ann');
    expect(await read(service, request('body', opened.bobId))).toBe('200 for Bob');
  });

  it('lets one of many concurrent requests claim the key; the others get its answer', async () => {
    const processes = [start(), start(), start()];
    let claimCount = 0;
    const texts = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const begun = await begin(processes[at % 3] ?? expect.fail());
        if (begun.kind === 'claimed') {
          claimCount += 1;
          await sleep(systemClock, 50);
          await begun.claim.complete(answer('one'));
          return '200 one';
        }
        let text = `${begun.answer.status} `;
        for await (const part of begun.body) text += part.toString();
        return text;
      }),
    );
    expect(claimCount).toBe(1);
    expect(new Set(texts)).toEqual(new Set(['200 one']));
  });

  it('gives a failed answer to waiting requests only', async () => {
    const [one, another] = [start(), start()];
    const running = await claim(one);
    const joined = [read(one), read(another)];
    await sleep(systemClock, 50);
    await running.fail(answer('no provider', 502));
    expect(await Promise.all(joined)).toEqual(['502 no provider', '502 no provider']);
    // The next one may even have another body.
    await (await claim(another, request('corrected'))).complete(answer('hello'));
    expect(await read(one, request('corrected'))).toBe('200 hello');
  });

  it('lets one waiting request continue after a release', async () => {
    const [one, another] = [start(), start()];
    const running = await claim(one);
    const waiting = [one, one, another, another].map((service) => begin(service));
    await sleep(systemClock, 50);
    await running.release();
    const first = await Promise.race(waiting);
    if (first.kind !== 'claimed') expect.fail('there is no answer yet');
    await first.claim.complete(answer('second try'));
    const kinds = (await Promise.all(waiting)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['answered', 'answered', 'answered', 'claimed']);
  });

  it('keeps the claim of a process that is alive', async () => {
    const [one, another] = [start(), start()];
    const running = await claim(one);
    const joined = read(another);
    await sleep(systemClock, LEASE_MS * 1.6);
    await running.complete(answer('late'));
    expect(await joined).toBe('200 late');
  });

  it('frees the keys of a dead process, whose answer no longer counts', async () => {
    const [dead, another] = [start(), start()];
    const lost = await claim(dead);
    await dead.close();
    const elapsedMs = startStopwatch();
    const next = await claim(another);
    expect(elapsedMs()).toBeLessThan(LEASE_MS + 2000);
    await lost.complete(answer('of the dead'));
    await next.complete(answer('of the living'));
    await lost.release();
    expect(await read(another)).toBe('200 of the living');
  });

  it('forgets answers after their time', async () => {
    const service = start({ keepMs: 100 });
    await (await claim(service)).complete(answer('hello'));
    await sleep(systemClock, 150);
    await (await claim(service, request('another'))).release();
  });

  it('stops waiting when the client leaves, and after a time', async () => {
    const service = start({ joinTimeoutMs: 100 });
    const running = await claim(service);
    const leaving = new AbortController();
    const left = begin(start(), request(), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(begin(service)).rejects.toThrow(StillRunningError);
    await running.release();
  });

  it('claims nothing for a client that has left', async () => {
    const service = start();
    await expect(begin(service, request(), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    await (await claim(service)).release();
  });

  it('removes the oldest answers of a user who has too many', async () => {
    const service = start({ maxUserBytes: 64 * 1024 });
    const keys = Array.from({ length: 10 }, (_, at) => request('body', opened.bobId, `${at}`));
    for (const one of keys) await (await claim(service, one)).complete(answer('small'));
    // Each counts for 16 KiB.
    const kinds = [];
    for (const one of keys) {
      const begun = await begin(service, one);
      kinds.push(begun.kind);
      if (begun.kind === 'claimed') await begun.claim.release();
    }
    expect(kinds).toEqual([...Array(6).fill('claimed'), ...Array(4).fill('answered')]);
  });
}

describe('idempotency (memory)', () =>
  describeIdempotency(async () => ({
    store: createMemoryIdempotencyStore({ clock: systemClock }),
    annId: 1,
    bobId: 2,
    close: async () => {},
  })));

describeOnEveryDatabase('idempotency', (createDatabase) =>
  describeIdempotency(async () => {
    const database = await createDatabase();
    const accounts = createAccounts({ db: database.db, clock: systemClock, adminIds: [] });
    const [ann, bob] = [await accounts.ensureTelegramUser(1001), await accounts.ensureTelegramUser(1002)];
    const store = createDatabaseIdempotencyStore({ db: database.db });
    return { store, annId: ann.id, bobId: bob.id, close: () => database.close() };
  }),
);
