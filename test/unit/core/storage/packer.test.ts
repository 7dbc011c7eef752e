import { describe, expect, it } from 'vitest';
import type { BlobPart } from '../../../../src/core/storage/blobs/blob-part.ts';
import { SEGMENT_BYTES, toSealedSize } from '../../../../src/core/storage/blobs/encryption.ts';
import { Packer } from '../../../../src/core/storage/upload/packer.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

const PART = 4 * SEGMENT_BYTES;

/** A packer whose store accepts blobs one by one, when the test says so. */
function createStage(options: { readonly concurrentPuts?: number } = {}) {
  const clock = createFakeClock();
  const sent: string[][] = [];
  const answers: (() => void)[] = [];
  let isMemoryShort = false;
  const packer = new Packer({
    clock,
    put: ({ parts }) => {
      sent.push(parts.map(({ part }) => `${part.fileId}${part.position}`));
      return new Promise((resolve) => answers.push(resolve));
    },
    maxBlobBytes: toSealedSize(PART),
    concurrentPuts: options.concurrentPuts ?? 1,
    lingerMs: 300,
    isMemoryShort: () => isMemoryShort,
  });
  const positions = new Map<string, number>();
  const add = (fileId: string, sizeBytes = PART, signal = new AbortController().signal) => {
    const position = positions.get(fileId) ?? 0;
    positions.set(fileId, position + 1);
    const segments = Array.from({ length: Math.ceil(sizeBytes / SEGMENT_BYTES) }, () => Buffer.alloc(SEGMENT_BYTES));
    const events: string[] = [];
    const part: BlobPart = {
      ...{ fileId, position, sizeBytes, segments, signal, key: Buffer.alloc(32), fileOffset: 0 },
      onTaken: () => void events.push('taken'),
      onStored: () => void events.push('stored'),
      onFailed: () => void events.push('failed'),
    };
    packer.add(part);
    return events;
  };
  return {
    ...{ packer, clock, sent, add },
    /** Lets the store accept a blob. */
    async answer() {
      await clock.advance(0);
      answers.shift()?.();
      await clock.advance(0);
    },
    setMemoryShort(isShort: boolean) {
      isMemoryShort = isShort;
      packer.wake();
    },
  };
}

describe('the packer', () => {
  it('sends the parts of several uploads in turn, so that a large one delays no other', async () => {
    const { add, answer, sent } = createStage();
    for (let count = 0; count < 5; count++) add('a');
    add('b');
    add('c');
    add('b');
    for (let count = 0; count < 8; count++) await answer();
    expect(sent.map(([part]) => part)).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4']);
  });

  it('packs the parts that arrived while the store was busy, up to the size of a blob', async () => {
    const { add, answer, sent } = createStage();
    add('first', 10);
    for (let index = 0; index < 10; index++) add(`f${index}-`, SEGMENT_BYTES / 2);
    for (let count = 0; count < 3; count++) await answer();
    expect(sent.map((parts) => parts.length)).toEqual([1, 7, 3]);
    expect(new Set(sent.flat()).size).toBe(11);
  });

  it('sends a small part at once if there is no other upload', async () => {
    const { add, sent, clock } = createStage();
    add('alone', 10);
    await clock.advance(0);
    expect(sent).toEqual([['alone0']]);
  });

  it('lets small parts wait briefly for others if there are other uploads', async () => {
    const { packer, add, sent, clock } = createStage({ concurrentPuts: 2 });
    const leave = packer.addReceiver({ heldBytes: 0, cut() {} });
    add('a', 10);
    await clock.advance(200);
    add('b', 10);
    await clock.advance(99);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual([['a0', 'b0']]);
    add('c', 10);
    leave();
    await clock.advance(0);
    expect(sent).toEqual([['a0', 'b0'], ['c0']]);
  });

  it('sends a full part at once, whatever else is uploaded', async () => {
    const { packer, add, sent, clock } = createStage();
    packer.addReceiver({ heldBytes: 0, cut() {} });
    add('a', PART);
    await clock.advance(0);
    expect(sent).toEqual([['a0']]);
  });

  it('cuts parts of the uploads that hold most when memory is short and nothing else can be sent', async () => {
    const { packer, add, sent, clock, setMemoryShort } = createStage();
    for (const [fileId, heldBytes] of [
      ['small', 1000],
      ['largest', 3 * SEGMENT_BYTES],
      ['large', 2 * SEGMENT_BYTES],
    ] as const) {
      const receiver = {
        heldBytes,
        cut() {
          add(fileId, receiver.heldBytes);
          receiver.heldBytes = 0;
        },
      };
      packer.addReceiver(receiver);
    }
    await clock.advance(1000);
    expect(sent).toEqual([]);
    setMemoryShort(true);
    await clock.advance(0);
    // The one in the middle would not fit next to the largest.
    expect(sent).toEqual([['largest0', 'small0']]);
    setMemoryShort(false);
  });

  it('sends no more blobs at a time than the limit', async () => {
    const { add, sent, answer, clock } = createStage({ concurrentPuts: 3 });
    for (let index = 0; index < 10; index++) add(`f${index}-`);
    await clock.advance(10_000);
    expect(sent).toHaveLength(3);
    await answer();
    expect(sent).toHaveLength(4);
  });

  it('discards waiting parts of an upload that has ended, and releases its memory', async () => {
    const { packer, add, sent, answer } = createStage();
    add('busy');
    const [dropped, kept] = [add('gone'), add('kept')];
    packer.drop('gone');
    expect(dropped).toEqual(['taken', 'failed']);
    for (let count = 0; count < 3; count++) await answer();
    expect(sent).toEqual([['busy0'], ['kept0']]);
    expect(kept).toEqual(['taken', 'stored']);
  });

  it('aborts a blob that no upload needs any more, and continues one that is still needed', async () => {
    const clock = createFakeClock();
    const signals: AbortSignal[] = [];
    const packer = new Packer({
      clock,
      put: async (_blob, signal) => {
        signals.push(signal);
      },
      ...{ maxBlobBytes: toSealedSize(PART), concurrentPuts: 1, lingerMs: 300, isMemoryShort: () => false },
    });
    const leaving = new AbortController();
    const ignore = { onTaken() {}, onStored() {}, onFailed() {} };
    const segments = [Buffer.alloc(SEGMENT_BYTES)];
    const shape = { position: 0, sizeBytes: 10, segments, key: Buffer.alloc(32), fileOffset: 0, ...ignore };
    const leave = packer.addReceiver({ heldBytes: 0, cut() {} });
    packer.add({ ...shape, fileId: 'leaving', signal: leaving.signal });
    packer.add({ ...shape, fileId: 'staying', signal: new AbortController().signal });
    leave();
    leaving.abort(new Error('left'));
    await clock.advance(0);
    packer.add({ ...shape, fileId: 'left', signal: leaving.signal });
    await clock.advance(0);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true]);
  });
});
