import { beforeEach, describe, expect, it } from 'vitest';
import { LeftRequests } from '../../../../src/core/generation/index.ts';
import { HeldBytes } from '../../../../src/lib/http/held-bytes.ts';
import { createFakeClock, type FakeClock } from '../../../support/machine/fake-clock.ts';

const USER = 1;

describe('left requests', () => {
  let clock: FakeClock;
  let requests: LeftRequests;
  beforeEach(() => {
    clock = createFakeClock();
    requests = new LeftRequests(clock);
  });

  const attend = (userId = USER) => {
    const client = new AbortController();
    return { client, host: requests.attend(userId, client.signal) };
  };
  const leave = (userId?: number) => {
    const { client, host } = attend(userId);
    client.abort();
    return host;
  };

  it('go on for a minute', async () => {
    const host = leave();
    await clock.advance(59_999);
    expect(host.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(host.signal.aborted).toBe(true);
  });

  it('end with their clients after the answer has begun', () => {
    const { client, host } = attend();
    host.markAnswered();
    expect(host.signal.aborted).toBe(false);
    client.abort('gone');
    expect(host.signal.reason).toBe('gone');
  });

  it('are bounded for each user and in all', () => {
    const ofOne = Array.from({ length: 25 }, () => leave());
    expect(ofOne.filter(({ signal }) => signal.aborted)).toHaveLength(5);
    const ofOthers = Array.from({ length: 100 }, (_, index) => leave(2 + index));
    expect(ofOthers.filter(({ signal }) => signal.aborted)).toHaveLength(20);
    for (const host of ofOne) host.end();
    expect(leave().signal.aborted).toBe(false);
  });

  it('count in the budget of memory until they end', () => {
    const heldBytes = new HeldBytes(1000);
    const hold = heldBytes.open(USER);
    hold.add(100);
    requests = new LeftRequests(clock, heldBytes);
    const host = heldBytes.run(hold, () => leave());
    hold.release();
    expect(heldBytes.totalBytes).toBe(100);
    host.end();
    expect(heldBytes.totalBytes).toBe(0);
  });

  it('leave nothing behind when they end', async () => {
    const { client, host } = attend();
    host.end();
    client.abort();
    await clock.advance(120_000);
    expect(host.signal.aborted).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('end when the service closes, and later ones at once', async () => {
    const host = leave();
    const closing = requests.close();
    expect(host.signal.aborted).toBe(true);
    host.end();
    await closing;
    expect(leave().signal.aborted).toBe(true);
  });
});
