import type { FastifyReply } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { toCsvHeader, toCsvLines } from '../../lib/formats/csv.ts';
import { sendText } from './send-text.ts';

type Cell = string | number | boolean | null | undefined;
type Row = Readonly<Record<string, Cell>>;
type Batches = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

const HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="usage.csv"',
};

/** Answers with a CSV file, like `sendText`. */
export function sendCsv(
  reply: FastifyReply,
  columns: readonly string[],
  batches: Batches,
  clock: Clock,
): Promise<void> {
  return sendText(reply, HEADERS, toChunks(columns, batches), clock);
}

async function* toChunks(columns: readonly string[], batches: Batches): AsyncGenerator<string, void> {
  let header = toCsvHeader(columns);
  for await (const batch of batches) {
    const cells = batch.map((row) => columns.map((name) => row[name] ?? undefined));
    yield header + toCsvLines(cells);
    header = '';
  }
  if (header !== '') yield header;
}
