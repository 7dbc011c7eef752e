import type { Transformer } from 'grammy';
import { describe, expect, it } from 'vitest';
import { FloodControl } from '../../../src/telegram/flood-control/flood-control.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

type Answer = Awaited<ReturnType<Parameters<Transformer>[0]>>;

/** Processes with one token, and a Telegram that counts their calls together. */
function setUp(processCount: number) {
  const clock = createFakeClock();
  const { logger } = createRecordingLogger();
  const startedAt = clock.now();
  const calls: { readonly process: number; readonly at: number }[] = [];
  const yes: Answer = { ok: true, result: true };
  const no = (retryAfterS: number): Answer => {
    return { ok: false, error_code: 429, description: '', parameters: { retry_after: retryAfterS } };
  };
  let answer = () => yes;
  const processes = Array.from({ length: processCount }, () => new FloodControl({ clock, logger }));
  const flood = (process: number) => processes[process] ?? expect.fail('no such process');
  /** Sends a final message of one process to its own chat. */
  const send = (process: number, chatId: number) => {
    const prev = async () => {
      calls.push({ process, at: clock.now() - startedAt });
      return answer();
    };
    // A grammY transformer is generic in the method; here each call is the same.
    const call = flood(process).transformer('final') as (...args: unknown[]) => Promise<Answer>;
    void call(prev, 'sendMessage', { chat_id: chatId, text: 'x' }, undefined);
  };
  /** Sends a message of each process to each of so many chats. */
  const sendMany = (chatCount: number) => {
    for (let process = 0; process < processCount; process++)
      for (let chat = 1; chat <= chatCount; chat++) send(process, 1000 * (process + 1) + chat);
  };
  const mostInASecond = () =>
    Math.max(...calls.map(({ at }) => calls.filter((other) => other.at >= at && other.at < at + 1000).length));
  return {
    clock,
    calls,
    flood,
    send,
    sendMany,
    mostInASecond,
    refuse: (retryAfterS: number) => {
      answer = () => no(retryAfterS);
    },
    /** Refuses calls for this time; each call meanwhile extends it by 2 s. */
    refuseUntilSilent: (forMs: number) => {
      let blockedUntil = clock.now() + forMs;
      answer = () => {
        if (clock.now() >= blockedUntil) return yes;
        blockedUntil += 2000;
        return no(Math.ceil((blockedUntil - clock.now()) / 1000));
      };
    },
    allow: () => {
      answer = () => yes;
    },
    share: (value: number) => {
      for (const process of processes) process.setShare(value);
    },
  };
}

/** Forwards the pauses of each process to all others. */
function connect(processes: readonly FloodControl[]): number[] {
  const told: number[] = [];
  for (const process of processes) {
    process.onPaused((forMs) => {
      told.push(forMs);
      for (const other of processes) if (other !== process) other.pause(forMs);
    });
  }
  return told;
}

describe('the rate limit of a token', () => {
  it.each([2, 3, 8])('holds for %i processes together', async (processCount) => {
    const { clock, calls, sendMany, mostInASecond, share } = setUp(processCount);
    share(1 / processCount);
    sendMany(60);
    await clock.advance(30_000);
    expect(calls).toHaveLength(60 * processCount);
    expect(mostInASecond()).toBeLessThanOrEqual(28);
    const last = Math.max(...calls.map(({ at }) => at));
    // And only little of it stays unused.
    expect(last).toBeLessThan((60 * processCount * 1000) / 18);
  });

  it('is available to one process when the others are idle', async () => {
    const { clock, calls, flood, sendMany } = setUp(1);
    flood(0).setShare(0.1);
    sendMany(100);
    await clock.advance(4000);
    expect(calls.length).toBeLessThanOrEqual(14);
    flood(0).setShare(1);
    await clock.advance(4200);
    expect(calls).toHaveLength(100);
  });

  it('is never shared so far that no call is possible', async () => {
    const { clock, calls, flood, send } = setUp(1);
    flood(0).setShare(1 / 100);
    send(0, 1);
    await clock.advance(10);
    send(0, 2);
    await clock.advance(10_000);
    expect(calls.length).toBe(2);
  });
});

describe('a token that Telegram rate limits', () => {
  it('is paused in all processes, whichever got the retry time', async () => {
    const { clock, calls, flood, sendMany, refuse, allow, send } = setUp(3);
    const told = connect([flood(0), flood(1), flood(2)]);
    refuse(30);
    for (const chat of [1, 2, 3]) send(0, chat);
    await clock.advance(100);
    allow();
    expect(told).toEqual([30_250]);
    sendMany(5);
    await clock.advance(30_000);
    expect(calls).toHaveLength(3);
    await clock.advance(5000);
    expect(calls).toHaveLength(3 + 3 + 15);
    // Each process lets one call probe, then the others follow.
    expect(calls.slice(3).every(({ at }) => at >= 30_250)).toBe(true);
  });

  it('is announced once, not back and forth', async () => {
    const { clock, flood, refuse, send } = setUp(2);
    const told = connect([flood(0), flood(1)]);
    refuse(10);
    for (const process of [0, 1]) for (const chat of [1, 2, 3]) send(process, 100 * process + chat);
    await clock.advance(1000);
    expect(told).toEqual([10_250]);
  });

  it('is announced again when the probe is refused', async () => {
    const { clock, flood, refuse, send } = setUp(2);
    const told = connect([flood(0), flood(1)]);
    refuse(10);
    for (const chat of [1, 2, 3]) send(0, chat);
    await clock.advance(10_300);
    expect(told).toEqual([10_250, 10_500]);
  });

  it('is free again in the end, even if processes that are not connected extend its pause in turn', async () => {
    const { clock, calls, refuseUntilSilent, send } = setUp(2);
    refuseUntilSilent(2000);
    send(0, 1);
    await clock.advance(2000);
    send(1, 2);
    await clock.advance(90_000);
    const before = calls.length;
    // No call is left to repeat.
    await clock.advance(60_000);
    expect(calls).toHaveLength(before);
  });

  it('is not confused with a chat that is rate limited', async () => {
    const { clock, flood, refuse, send } = setUp(2);
    const told = connect([flood(0), flood(1)]);
    refuse(10);
    send(0, 1);
    send(0, 2);
    await clock.advance(1000);
    expect(told).toEqual([]);
  });
});
