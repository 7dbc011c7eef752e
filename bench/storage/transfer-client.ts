/**
 * Uploads and downloads files in a separate process, so that its memory and CPU time are not counted as the service's.
 */
import '../gateway/end-with-parent.ts';
import { Agent, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createContent, isContentAt } from './content.ts';
import type { Transfer, TransferOrder, TransferReport, TransferSample } from './transfer.ts';

const agent = new Agent({ keepAlive: false });

process.channel?.ref();
process.on('message', (order: TransferOrder) => {
  void carryOut(order)
    .catch((error: unknown): TransferReport => ({ problem: error instanceof Error ? error.message : String(error) }))
    .then((report) => process.send?.(report));
});

async function carryOut({ transfers, timeLimitMs }: TransferOrder): Promise<TransferReport> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const startedAt = performance.now();
  const samples = await Promise.all(
    transfers.map((transfer) => (transfer.kind === 'upload' ? upload(transfer, signal) : download(transfer, signal))),
  );
  return { samples, durationMs: performance.now() - startedAt };
}

async function upload({ url, sizeBytes }: Transfer, signal: AbortSignal): Promise<TransferSample> {
  const startedAt = performance.now();
  const outgoing = request(url, { agent, method: 'PUT', headers: { 'content-length': sizeBytes }, signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  await Promise.all([answered, pipeline(Readable.from(createContent(sizeBytes)), outgoing)]);
  const answer = await answered;
  const firstByteMs = performance.now() - startedAt;
  const text = (await answer.toArray()).join('');
  if (answer.statusCode !== 200) throw new Error(`an upload was answered with ${answer.statusCode}: ${text}`);
  return { durationMs: performance.now() - startedAt, firstByteMs, path: new URL(JSON.parse(text).url).pathname };
}

async function download({ url, sizeBytes, bytesPerSecond }: Transfer, signal: AbortSignal): Promise<TransferSample> {
  const startedAt = performance.now();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, signal }).once('response', resolve).once('error', reject).end();
  });
  if (answer.statusCode !== 200) throw new Error(`a download was answered with ${answer.statusCode}`);
  let firstByteMs: number | undefined;
  let readBytes = 0;
  for await (const piece of answer) {
    const bytes: Buffer = piece;
    firstByteMs ??= performance.now() - startedAt;
    if (!isContentAt(readBytes, bytes)) throw new Error(`a download has wrong bytes behind ${readBytes}`);
    readBytes += bytes.length;
    const aheadMs =
      bytesPerSecond === undefined ? 0 : (readBytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    if (aheadMs > 1) await sleep(aheadMs);
  }
  if (readBytes !== sizeBytes) throw new Error(`a download has ${readBytes} bytes instead of ${sizeBytes}`);
  return { durationMs: performance.now() - startedAt, firstByteMs: firstByteMs ?? 0, path: new URL(url).pathname };
}
