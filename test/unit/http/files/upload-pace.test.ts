import { describe, expect, test } from 'vitest';
import { createUploadPace } from '../../../../src/http/files/upload/upload-pace.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

const MINUTE_MS = 60_000;

/** An upload of `sizeBytes` every `everyMs`. Returns how long it was accepted, at most an hour. */
async function listen(sizeBytes: number, everyMs: number, storeMs = 0): Promise<number> {
  const clock = createFakeClock();
  const pace = createUploadPace(clock);
  const startedAt = clock.now();
  const piece = () => new Promise<void>((resolve) => void clock.setTimer(everyMs, resolve));
  let isOver = false;
  const listening = (async () => {
    while (clock.now() - startedAt < 60 * MINUTE_MS) {
      await pace.wait(piece());
      pace.record(sizeBytes);
      if (storeMs > 0) await new Promise<void>((resolve) => void clock.setTimer(storeMs, resolve));
    }
  })()
    .catch((error: unknown) => expect(error).toMatchObject({ facts: { status: 408, code: 'upload_too_slow' } }))
    .finally(() => {
      isOver = true;
    });
  while (!isOver) await clock.advance(1000);
  await listening;
  return clock.now() - startedAt;
}

describe('the pace of an upload', () => {
  test.each([
    ['a lot every second', 100_000, 1000],
    ['a little more than 1 KiB a second', 1100, 1000],
    ['a large chunk now and then', 120_000, 59_000],
  ])('may be %s', async (_title, sizeBytes, everyMs) => {
    expect(await listen(sizeBytes, everyMs)).toBeGreaterThanOrEqual(60 * MINUTE_MS);
  });

  test.each([
    ['nothing', 1000, 1e9],
    ['a byte a second', 1, 1000],
    ['less than 1 KiB a second', 900, 1000],
  ])('may not be %s', async (_title, sizeBytes, everyMs) => {
    const listenedMs = await listen(sizeBytes, everyMs);
    expect(listenedMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(listenedMs).toBeLessThan(MINUTE_MS + 5000);
  });

  test('is not counted against the client if the store is slow', async () => {
    expect(await listen(65_536, 1000, 5 * MINUTE_MS)).toBeGreaterThanOrEqual(60 * MINUTE_MS);
  });
});
