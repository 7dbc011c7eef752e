import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { createDiskBlobStore } from '../../src/core/storage/index.ts';
import { startHttpService } from '../support/harness/http.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** Much more than the memory of the process may grow. */
const FILE_BYTES = 640 * 1024 * 1024;

test('a file of 640 MiB is returned unchanged, and memory stays flat', {
  ...EXHAUSTIVE,
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-large-'));
  const service = await startHttpService({ store: createDiskBlobStore({ directory: folder }) });
  let highestBytes = 0;
  const meter = setInterval(() => {
    highestBytes = Math.max(highestBytes, process.memoryUsage().rss);
  }, 50);
  try {
    const idleBytes = process.memoryUsage().rss;
    const sent = createHash('sha256');
    const { url, size, sha256 } = await uploadPieces(service.url, sent);
    expect([size, sha256]).toEqual([FILE_BYTES, sent.digest('hex')]);

    const received = createHash('sha256');
    await downloadInto(url, received);
    expect(received.digest('hex')).toBe(sha256);
    // The client and the measurement run in this process as well, and a busy machine collects their garbage late.
    expect(highestBytes - idleBytes).toBeLessThan(FILE_BYTES * 0.75);
  } finally {
    clearInterval(meter);
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
});

async function uploadPieces(address: string, hash: ReturnType<typeof createHash>) {
  const pieceBytes = 1024 * 1024;
  const pieces = function* () {
    for (let index = 0; index < FILE_BYTES / pieceBytes; index++) {
      const piece = Buffer.alloc(pieceBytes, `piece ${index} `);
      hash.update(piece);
      yield piece;
    }
  };
  const upload = request(`${address}/upload/large.bin`, { method: 'PUT', headers: { 'content-length': FILE_BYTES } });
  const answered = new Promise<Buffer>((resolve, reject) => {
    upload.once('error', reject);
    upload.once('response', (answer) => void answer.toArray().then((read) => resolve(Buffer.concat(read)), reject));
  });
  await pipeline(Readable.from(pieces()), upload);
  return JSON.parse((await answered).toString());
}

function downloadInto(url: string, hash: ReturnType<typeof createHash>): Promise<void> {
  return new Promise((resolve, reject) => {
    const download = request(url, async (answer) => {
      try {
        for await (const piece of answer) hash.update(piece);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
    download.once('error', reject).end();
  });
}
