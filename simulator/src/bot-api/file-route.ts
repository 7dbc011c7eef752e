import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { sleep } from '../clock.ts';
import type { FaultKind } from '../control-protocol.ts';
import type { World } from '../world/world.ts';
import { resetConnection, staySilent } from './broken-answers.ts';
import type { Faults } from './faults.ts';
import { findBot } from './find-bot.ts';

interface FileRouteDeps {
  readonly world: World;
  readonly faults: Faults;
}

/**
 * Serves `/file/bot<token>/<path>`: whole files, or one range (`Range: bytes=…`). Telegram does not document range
 * requests; the fault `whole-file` imitates a server without them.
 */
export function addFileRoute(scope: FastifyInstance, deps: FileRouteDeps): void {
  scope.get<{ Params: { token: string; '*': string } }>('/file/bot:token/*', async (request, reply) => {
    const { world, faults } = deps;
    const bot = findBot(world, request.params.token);
    if (!bot) throw new ApiError(401, 'Unauthorized');
    const fault = faults.take('file', { path: request.params['*'] });
    const file = world.files.findByPath(request.params['*']);
    const bytes = file && world.files.read(file.id);
    if (!bytes) throw new ApiError(404, 'Not Found: file not found');
    if (fault?.type === 'slow') await sleep(world.clock, fault.delayMs, world.closing).catch(() => undefined);
    return failed(world, reply, fault) ?? sendFile(request, reply, bytes, fault);
  });
}

/** Sends the response of a fault that delivers no bytes; undefined for other faults. @throws ApiError */
function failed(world: World, reply: FastifyReply, fault: FaultKind | undefined): FastifyReply | undefined {
  switch (fault?.type) {
    case 'error':
      throw new ApiError(fault.status, fault.description ?? 'Bad Gateway');
    case 'flood':
      throw new ApiError(429, `Too Many Requests: retry after ${fault.retryAfterSeconds}`);
    case 'reset-before':
      return resetConnection(reply);
    case 'no-answer':
      return staySilent(world, reply);
    default:
      return undefined;
  }
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
  fault: FaultKind | undefined,
): FastifyReply {
  const range = fault?.type === 'whole-file' ? undefined : readRange(request.headers.range, bytes.length);
  if (range === 'unsatisfiable') return reply.status(416).header('content-range', `bytes */${bytes.length}`).send('');
  const { start, end } = range ?? { start: 0, end: bytes.length };
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${bytes.length}`);
  const part = spoil(bytes.subarray(start, end), fault);
  if (fault?.type === 'truncated') return breakOff(reply, part);
  return reply.type('application/octet-stream').header('accept-ranges', 'bytes').send(part);
}

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Reads a single range. A header with several ranges is ignored, as RFC 9110 permits. */
function readRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  return start < size && start < end ? { start, end } : 'unsatisfiable';
}

function spoil(bytes: Buffer, fault: FaultKind | undefined): Buffer {
  const middle = Math.floor(bytes.length / 2);
  switch (fault?.type) {
    case 'short':
      return bytes.subarray(0, middle);
    case 'swapped':
      return randomBytes(bytes.length);
    case 'corrupted': {
      const copy = Buffer.from(bytes);
      copy[middle] = (copy[middle] ?? 0) ^ 1;
      return copy;
    }
    default:
      return bytes;
  }
}

function breakOff(reply: FastifyReply, bytes: Buffer): FastifyReply {
  reply.hijack();
  const range = reply.getHeader('content-range');
  const head = { 'content-length': bytes.length, ...(range === undefined ? {} : { 'content-range': String(range) }) };
  reply.raw.writeHead(reply.statusCode, head);
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
  return reply;
}
