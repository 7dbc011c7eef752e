import type { DatabaseConfig } from '../connect.ts';
import type { CopiedTable } from './catalogue.ts';

/** One snapshot of the database that is copied. It is only read. */
export interface CopySource {
  query<Row>(statement: string): Promise<readonly Row[]>;
  /** Returns the rows of a table in the text format of COPY, in chunks that may end within a row. */
  read(table: CopiedTable): AsyncIterable<Uint8Array>;
  /** Returns true if a target is this database. */
  isDatabaseOf(target: { query<Row>(statement: string): Promise<readonly Row[]> }): Promise<boolean>;
  /** Lets statements in flight fail, if that is possible. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a snapshot of a database that no process uses, and prevents that one starts on it.
 * @throws CopyRefusedError, DirectoryInUseError, DatabaseUnsuitableError; the driver's errors.
 */
export async function openCopySource(config: DatabaseConfig): Promise<CopySource> {
  if (config.kind === 'embedded') {
    // Loaded on demand, as by `openDatabase`.
    const { openEmbeddedSource } = await import('./embedded-source.ts');
    return openEmbeddedSource(config.directory);
  }
  const { openServerSource } = await import('./server-source.ts');
  return openServerSource(config.url);
}
