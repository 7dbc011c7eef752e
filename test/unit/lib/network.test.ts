import { describe, expect, it } from 'vitest';
import { toNetwork } from '../../../src/lib/http/network.ts';

describe('the network of an address', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24', '203.0.113.77'],
    ['::ffff:203.0.113.77', '203.0.113.0/24', '203.0.113.77'],
    ['2001:db8:aaaa:bbbb:cccc::1', '2001:db8:aaaa::/48', '2001:db8:aaaa:bbbb::/64'],
    ['fe80::1%eth0', 'fe80::/48', 'fe80::/64'],
    ['::1', '::/48', '::/64'],
    ['nowhere', 'nowhere', 'nowhere'],
  ])('of %s is %s, and the network of a single client is %s', (address, network, household) => {
    expect(toNetwork(address, { ipv4: 24, ipv6: 48 })).toBe(network);
    expect(toNetwork(address, { ipv4: 32, ipv6: 64 })).toBe(household);
  });
});
