import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describeError } from '../../lib/errors/describe-error.ts';
import { DirectoryInUseError } from '../../lib/files/directory-lock.ts';
import { type DatabaseConfig, DatabaseUnusableError } from '../connect.ts';
import { DatabaseUnsuitableError } from '../migrations.ts';
import { type CopiedTable, LIST_TABLES, qualify } from './catalogue.ts';
import { CopyFailedError, CopyInterruptedError, CopyRefusedError } from './copy-failures.ts';
import { type CopySource, openCopySource } from './copy-source.ts';
import { CopyTarget } from './copy-target.ts';

/** Rows are sent in chunks of this size or more. */
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

export interface CopyRequest {
  readonly source: DatabaseConfig;
  /** URL of a database on a server. */
  readonly target: string;
  /** Interrupts the copy. Has no effect on one that is being completed. */
  readonly signal: AbortSignal;
  onProgress(progress: CopyProgress): void;
}

export interface CopyProgress {
  readonly table: string;
  /** Rows of the table that are copied. */
  readonly rows: number;
  readonly ofRows: number;
  /** Rows of all tables that are copied. */
  readonly allRows: number;
  readonly ofAllRows: number;
}

export interface CopyResult {
  readonly tableCount: number;
  readonly rowCount: number;
  /** Tables and columns of the source that are not the service's, and are not copied. */
  readonly leftOut: readonly string[];
}

/** Table with the number of its rows in the source. */
interface CountedTable extends CopiedTable {
  readonly rowCount: number;
}

/**
 * Copies a database to an empty one on a server, exactly: one snapshot of the source, one transaction in the target. The
 * source is only read.
 * @throws CopyRefusedError before anything is copied; CopyFailedError; CopyInterruptedError; DirectoryInUseError;
 * DatabaseUnusableError for a source that can't be opened.
 */
export async function copyDatabase({
  source: config,
  target: url,
  signal,
  onProgress,
}: CopyRequest): Promise<CopyResult> {
  const source = await openSource(config);
  const target = new CopyTarget(url);
  const interrupt = () => void Promise.all([target.end(), source.interrupt()]);
  signal.addEventListener('abort', interrupt);
  let phase: Phase = 'checking';
  try {
    signal.throwIfAborted();
    const tables = await source.query<CopiedTable>(LIST_TABLES);
    await target.check(source, tables);
    phase = 'copying';
    const counted = await countAll(source, await target.begin(tables), signal);
    await copyAll(source, target, counted, onProgress);
    await target.setSequences(source);
    await target.complete(counted, () => {
      phase = 'completing';
      signal.removeEventListener('abort', interrupt);
    });
    return { tableCount: counted.length, rowCount: sumRows(counted), leftOut: listLeftOut(tables, counted) };
  } catch (error) {
    throw toFailure(error, phase, signal);
  } finally {
    signal.removeEventListener('abort', interrupt);
    await Promise.all([target.end(), source.close()]);
  }
}

type Phase = 'checking' | 'copying' | 'completing';

async function openSource(config: DatabaseConfig): Promise<CopySource> {
  try {
    return await openCopySource(config);
  } catch (error) {
    if (error instanceof CopyRefusedError || error instanceof DirectoryInUseError) throw error;
    throw new DatabaseUnusableError(config, error);
  }
}

function toFailure(error: unknown, phase: Phase, signal: AbortSignal): unknown {
  if (error instanceof CopyRefusedError) return error;
  // An error without a severity is not of the server: its answer to the last statement is lost.
  const isAnswered = error instanceof Error && 'severity' in error;
  if (phase === 'completing' && !isAnswered)
    return new CopyFailedError(
      `The connection was lost while the copy was being completed: ${describeError(error)}. Run the same command again: if it finds rows in the target, the copy is whole`,
      { cause: error },
    );
  if (signal.aborted) return new CopyInterruptedError();
  if (phase === 'checking' && error instanceof DatabaseUnsuitableError)
    return new CopyRefusedError(`The target can't be used: ${error.message}`, { cause: error });
  const effect =
    phase === 'checking' ? "The target can't be used" : 'The copy has failed, and the target has nothing of it';
  return new CopyFailedError(`${effect}: ${describeError(error)}`, { cause: error });
}

/** Counts the rows of the target's tables in the source. */
async function countAll(
  source: CopySource,
  tables: readonly CopiedTable[],
  signal: AbortSignal,
): Promise<readonly CountedTable[]> {
  const counted: CountedTable[] = [];
  for (const table of tables) {
    counted.push({ ...table, rowCount: await countRows(source, table) });
    // The embedded database counts on this thread, where the signal arrives.
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  return counted;
}

async function copyAll(
  source: CopySource,
  target: CopyTarget,
  tables: readonly CountedTable[],
  onProgress: CopyRequest['onProgress'],
): Promise<void> {
  const ofAllRows = sumRows(tables);
  let allRows = 0;
  for (const table of tables) {
    if (table.rowCount === 0) continue;
    let rows = 0;
    const onRows = (count: number) => {
      rows += count;
      allRows += count;
      onProgress({ table: table.name, rows, ofRows: table.rowCount, allRows, ofAllRows });
    };
    await target.write(table, gatherRows(source.read(table), onRows));
    const stored = await countRows(target, table);
    if (stored !== table.rowCount)
      throw new Error(`the source has ${table.rowCount} rows of ${table.name}, and the target got ${stored}`);
  }
}

/** Joins small chunks, because a server sends each row as one, and counts the rows. */
async function* gatherRows(
  chunks: AsyncIterable<Uint8Array>,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  const take = () => {
    const joined = Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
    onRows(countNewlines(joined));
    return joined;
  };
  for await (const chunk of chunks) {
    gathered.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= CHUNK_BYTES) yield take();
  }
  if (bytes > 0) yield take();
}

/** Returns the number of rows that end in a text in the format of COPY, which escapes newlines in values. */
function countNewlines(text: Uint8Array): number {
  let count = 0;
  for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

async function countRows(database: Pick<CopySource, 'query'>, { name }: CopiedTable): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*)::float8 as count from ${qualify(name)}`);
  return row?.count ?? 0;
}

function sumRows(tables: readonly CountedTable[]): number {
  return tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

function listLeftOut(source: readonly CopiedTable[], copied: readonly CopiedTable[]): readonly string[] {
  const columnsOf = new Map(copied.map(({ name, columns }) => [name, columns]));
  return source.flatMap(({ name, columns }) => {
    const present = columnsOf.get(name);
    if (!present) return name;
    return columns.filter((column) => !present.includes(column)).map((column) => `${name}.${column}`);
  });
}
