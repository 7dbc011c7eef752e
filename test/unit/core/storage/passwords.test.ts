import { expect, test } from 'vitest';
import { createPasswordCheck } from '../../../../src/core/storage/download/passwords.ts';
import type { FileRow } from '../../../../src/core/storage/file-rows.ts';
import { QuotaExceededError, StorageUnavailableError } from '../../../../src/core/storage/index.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

const PERIOD_MS = 15 * 60_000;
const ROW: FileRow = {
  ...{ kind: 'file', id: 'a', ownerKeyHash: '', userId: null, addressHash: null, name: 'a', mediaType: 'text/plain' },
  ...{ state: 'ready', sizeBytes: 1, sha256: '', wrappedKey: null, leaseUntil: null, expiresAt: null },
  ...{ downloadsLeft: null, passwordHash: 'kept', isInline: false, telegram: null, createdAt: new Date(0) },
};

function start(check: (password: string) => Promise<boolean> = async (password) => password === 'open') {
  const clock = createFakeClock();
  const passwords = { hash: async () => '', check };
  return { clock, check: createPasswordCheck({ clock, passwords, findRow: async (id) => ({ ...ROW, id }) }) };
}

test('wrong passwords of one client block it for a while, for this file only', async () => {
  const { clock, check } = start();
  const sender = { userId: 1 };
  for (let time = 0; time < 10; time++) expect(await check('a', 'guess', sender)).toBe('wrong');
  await clock.advance(1000);
  expect(await check('a', 'open', sender)).toEqual({ retryAfterMs: PERIOD_MS - 1000 });
  expect(await check('b', 'open', sender)).toBe('right');
  expect(await check('a', 'open', { userId: 2 })).toBe('right');
  await clock.advance(PERIOD_MS);
  expect(await check('a', 'open', sender)).toBe('right');
});

test('a thousand wrong passwords of all addresses and users together block a file for a while', async () => {
  const { check } = start();
  for (let time = 0; time < 1000; time++) {
    const client = Math.floor(time / 10);
    const sender = client % 2 === 0 ? { address: `192.0.2.${client}` } : { userId: client };
    expect(await check('a', 'guess', sender)).toBe('wrong');
  }
  expect(await check('a', 'open', { userId: 1000 })).toEqual({ retryAfterMs: PERIOD_MS });
  expect(await check('a', 'open', { address: '198.51.100.1' })).toEqual({ retryAfterMs: PERIOD_MS });
});

test('wrong passwords of one IPv6 network count together, however many addresses it has', async () => {
  const { check } = start();
  for (let time = 0; time < 10; time++) await check('a', 'guess', { address: `2001:db8:0:1::${time}` });
  expect(await check('a', 'open', { address: '2001:db8:0:1:ffff::1' })).toEqual({ retryAfterMs: PERIOD_MS });
  expect(await check('a', 'open', { address: '2001:db8:0:2::1' })).toBe('right');
});

test('a client with very many IPv6 networks locks out only itself', async () => {
  const { check } = start();
  for (let time = 0; time < 2000; time++) await check('a', 'guess', { address: `2001:db8:1:${time.toString(16)}::1` });
  expect(await check('a', 'open', { address: '2001:db8:1:ffff::1' })).toEqual({ retryAfterMs: PERIOD_MS });
  expect(await check('a', 'open', { address: '2001:db8:2::1' })).toBe('right');
});

test('refused attempts evict no counter', async () => {
  const { check } = start();
  for (let time = 0; time < 1000; time++) await check('a', 'guess', { userId: time });
  for (let time = 0; time < 50_050; time++) await check('a', 'guess', { userId: time });
  expect(await check('a', 'open', { userId: 60_000 })).toEqual({ retryAfterMs: PERIOD_MS });
});

test('an address is never mistaken for a user id', async () => {
  const { check } = start();
  for (let time = 0; time < 10; time++) await check('a', 'guess', { address: '7' });
  expect(await check('a', 'open', { userId: 7 })).toBe('right');
});

test('passwords that were not compared evict no counter', async () => {
  let isBusy = false;
  const { check } = start(async () => {
    if (isBusy) throw new StorageUnavailableError('Too many passwords at once', 1000);
    return false;
  });
  for (let time = 0; time < 10; time++) await check('a', 'guess', { userId: 1 });
  isBusy = true;
  for (let time = 0; time < 50_050; time++) await check(`b${time}`, 'guess', { userId: 2 }).catch(() => {});
  expect(await check('a', 'open', { userId: 1 })).toEqual({ retryAfterMs: PERIOD_MS });
});

test('a client with too many waiting attempts gets a retry time', async () => {
  const { check } = start(async () => {
    throw new QuotaExceededError('At most 20 passwords at a time.', 1000);
  });
  for (let time = 0; time < 20; time++) expect(await check('a', 'open', { userId: 1 })).toEqual({ retryAfterMs: 1000 });
});

test('the right password is never counted, nor one that could not be compared', async () => {
  let isBusy = true;
  const { check } = start(async () => {
    if (isBusy) throw new StorageUnavailableError('Too many passwords at once', 1000);
    return true;
  });
  for (let time = 0; time < 20; time++)
    await expect(check('a', 'open', { userId: 1 })).rejects.toThrow(StorageUnavailableError);
  isBusy = false;
  for (let time = 0; time < 20; time++) expect(await check('a', 'open', { userId: 1 })).toBe('right');
});
