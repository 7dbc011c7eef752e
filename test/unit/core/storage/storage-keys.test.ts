import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashAddress } from '../../../../src/core/storage/storage-keys.ts';

const key = randomBytes(32);

it('a client has one hash for all notations and all addresses of its network', () => {
  const same = [
    ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:3::'],
    ['::1', '0:0:0:0:0:0:0:1', '::1%lo'],
  ];
  for (const addresses of same) expect(new Set(addresses.map((address) => hashAddress(key, address))).size).toBe(1);
});

it('other clients have other hashes, and another key gives other hashes', () => {
  const different = ['192.0.2.7', '192.0.2.8', '2001:db8:1:2::1', '2001:db8:1:3::1', '::1', 'not an address', ''];
  expect(new Set(different.map((address) => hashAddress(key, address))).size).toBe(different.length);
  expect(hashAddress(randomBytes(32), '192.0.2.7')).not.toBe(hashAddress(key, '192.0.2.7'));
});
