import type { Foundation } from '../config/index.ts';
import { openForReading } from '../database/connect.ts';
import { systemClock } from '../lib/clock.ts';
import { DirectoryInUseError } from '../lib/files/directory-lock.ts';
import { StoredState } from './stored-state.ts';
import { NOTHING_STORED, type StoredValues } from './stored-values.ts';

/** What admins have stored, as a process sees it that does not run the service. */
export interface StoredLook {
  readonly values: StoredValues;
  readonly byId: StoredState['byId'];
  /** Why the stored settings are not known; undefined if they are. */
  readonly obstacle: string | undefined;
}

/** Reads what admins have stored, without changing the database. There is nothing before the first start. */
export async function lookAtStored(foundation: Foundation): Promise<StoredLook> {
  const nothing = { values: NOTHING_STORED, byId: new Map() };
  try {
    const database = await openForReading(foundation.database);
    if (!database) return { ...nothing, obstacle: undefined };
    try {
      const stored = new StoredState({ db: database.db, clock: systemClock }, foundation);
      await stored.read();
      return { values: stored.toValues(), byId: stored.byId, obstacle: undefined };
    } finally {
      await database.close();
    }
  } catch (error) {
    const obstacle =
      error instanceof DirectoryInUseError
        ? 'a running service uses the embedded database'
        : 'the database can’t be read';
    return { ...nothing, obstacle };
  }
}
