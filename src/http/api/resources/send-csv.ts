import type { FastifyReply } from 'fastify';
import { toCsvHeader, toCsvLines } from '../../../lib/csv.ts';
import { awaitDrain, type DrainDeps } from '../../await-drain.ts';
import { ClientGoneError } from '../../in-flight-requests.ts';

type Cell = string | number | boolean | null | undefined;
export type CsvColumn = string;
type Row = Readonly<Record<CsvColumn, Cell>>;
type Batches = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

/**
 * Answers with a CSV file, in batches as fast as the client reads. The first batch is read before the status is sent,
 * so that its errors are answered. A later error closes the connection, which clients see as an incomplete answer.
 */
export async function sendCsv(
  reply: FastifyReply,
  columns: readonly CsvColumn[],
  batches: Batches,
  deps: DrainDeps,
): Promise<void> {
  const iterator = toIterator(batches);
  let batch = await iterator.next();
  const response = reply.hijack().raw;
  response.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="usage.csv"',
  });
  try {
    response.write(toCsvHeader(columns));
    for (; !batch.done; batch = await iterator.next()) {
      if (response.destroyed) return;
      const cells = batch.value.map((row) => columns.map((name) => row[name] ?? undefined));
      if (!response.write(toCsvLines(cells))) await awaitDrain(response, deps);
    }
    response.end();
  } catch (error) {
    if (error instanceof ClientGoneError) return;
    reply.log.warn({ err: error }, 'a file of usage was not completed');
    response.destroy();
  }
}

async function* toIterator(batches: Batches): AsyncGenerator<readonly Row[], void> {
  yield* batches;
}
