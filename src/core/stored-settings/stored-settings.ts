import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { storedSettings } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AdminAction, recordAction } from '../administration/index.ts';
import { deriveKey, unwrapByAny, wrapKey } from '../storage/index.ts';
import { SettingsChangedError, TooManySettingsError } from './errors.ts';
import { type SettingId, toSettingId } from './setting-id.ts';

/** A setting that an admin has made. */
export interface StoredSetting {
  readonly id: SettingId;
  /** `unreadable`: encrypted with another key, or changed by hand. */
  readonly state: 'stored' | 'removed' | 'unreadable';
  /** Undefined unless it is stored. */
  readonly value: unknown;
  /** Value before the last change; undefined if there was none, or it can't be read. */
  readonly formerValue: unknown;
  readonly isFormerLost: boolean;
  /** Number of changes. */
  readonly version: number;
  /** Telegram id of the admin. */
  readonly changedBy: number;
  readonly changedAt: Date;
}

/** Changes of an admin that are stored together. */
export interface SettingsChange {
  readonly admin: Pick<AdminAction, 'adminTelegramId' | 'keyId'>;
  readonly action: Extract<AdminAction['action'], `${string}-setting`>;
  /** Values by id; undefined removes a setting. */
  readonly values: ReadonlyMap<SettingId, unknown>;
  /** Notes for the audit log, by id. They contain no secrets. */
  readonly notes: ReadonlyMap<SettingId, string>;
  /** Revision on which the change was checked. */
  readonly revision: number;
  /** Called in the transaction, before anything is written. What it throws prevents the change. */
  readonly check?: () => void;
}

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended('stored-settings', 0))`;
/** All settings are read at once. */
const MAX_SETTINGS = 500;

/** Settings of admins in the database. Values are encrypted by a key that is derived from the encryption key of files. */
export function createStoredSettings({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  return {
    /**
     * Reads all settings.
     * @param encryptionKeys the present one and former ones; empty: values can't be read.
     */
    async read(encryptionKeys: readonly Buffer[]): Promise<{ settings: readonly StoredSetting[]; revision: number }> {
      const rows = await db.select().from(storedSettings).orderBy(asc(storedSettings.name)).limit(MAX_SETTINGS);
      const keys = encryptionKeys.map((key) => deriveKey(key, 'stored settings'));
      const settings = rows.flatMap((row) => toSetting(row, keys) ?? []);
      return { settings, revision: rows.reduce((sum, { version }) => sum + version, 0) };
    },
    /** Encrypts all values with the first key that another one has encrypted. */
    rewrap: ([present, ...former]: readonly [Buffer, ...Buffer[]]): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.execute(LOCK);
        const key = deriveKey(present, 'stored settings');
        const keys = [key, ...former.map((each) => deriveKey(each, 'stored settings'))];
        for (const row of await tx.select().from(storedSettings).limit(MAX_SETTINGS)) {
          const id = toSettingId(row.name);
          if (!id) continue;
          const rewrap = (sealed: Buffer | null) => {
            const opened = sealed === null ? undefined : unwrapByAny(keys, id, sealed);
            return opened && opened.by !== key ? wrapKey(key, id, opened.plain) : sealed;
          };
          const [value, formerValue] = [rewrap(row.value), rewrap(row.formerValue)];
          if (value === row.value && formerValue === row.formerValue) continue;
          await tx.update(storedSettings).set({ value, formerValue }).where(eq(storedSettings.name, row.name));
        }
      }),
    /** Returns a number that every change increases. */
    readRevision: (): Promise<number> => readRevision(db),
    /**
     * Stores changes and their entries of the audit log in one transaction.
     * @throws SettingsChangedError, TooManySettingsError; what `check` throws.
     */
    store: (encryptionKey: Buffer, change: SettingsChange): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.execute(LOCK);
        if ((await readRevision(tx)) !== change.revision) throw new SettingsChangedError();
        change.check?.();
        const createdAt = new Date(clock.now());
        for (const [id, value] of change.values) {
          const sealed = value === undefined ? null : seal(encryptionKey, id, value);
          await writeRow(tx, { id, sealed, changedBy: change.admin.adminTelegramId, changedAt: createdAt });
          const reason = change.notes.get(id) ?? '';
          await recordAction(tx, { ...change.admin, action: change.action, subject: id, reason, createdAt });
        }
        if ((await tx.$count(storedSettings)) > MAX_SETTINGS) throw new TooManySettingsError();
      }),
  };
}

function seal(encryptionKey: Buffer, id: SettingId, value: unknown): Buffer {
  return wrapKey(deriveKey(encryptionKey, 'stored settings'), id, Buffer.from(JSON.stringify(value)));
}

async function readRevision(db: Database): Promise<number> {
  const revision = sql<number>`coalesce(sum(${storedSettings.version}), 0)`.mapWith(Number);
  const [row] = await db.select({ revision }).from(storedSettings);
  return row?.revision ?? 0;
}

interface RowChange {
  readonly id: SettingId;
  readonly sealed: Buffer | null;
  readonly changedBy: number;
  readonly changedAt: Date;
}

async function writeRow(tx: Database, { id, sealed, ...by }: RowChange): Promise<void> {
  await tx
    .insert(storedSettings)
    .values({ name: id, value: sealed, version: 1, ...by })
    .onConflictDoUpdate({
      target: storedSettings.name,
      set: {
        value: sealed,
        formerValue: sql`${storedSettings.value}`,
        version: sql`${storedSettings.version} + 1`,
        ...by,
      },
    });
}

function toSetting(row: typeof storedSettings.$inferSelect, keys: readonly Buffer[]): StoredSetting | undefined {
  const id = toSettingId(row.name);
  if (!id) return undefined;
  const { version, changedBy, changedAt } = row;
  const value = row.value === null ? undefined : open(keys, id, row.value);
  const formerValue = row.formerValue === null ? undefined : open(keys, id, row.formerValue);
  const state = row.value === null ? 'removed' : value === undefined ? 'unreadable' : 'stored';
  const isFormerLost = row.formerValue !== null && formerValue === undefined;
  return { id, state, value, formerValue, isFormerLost, version, changedBy, changedAt };
}

/** Returns the value; undefined if it was encrypted with none of these keys for this setting. */
function open(keys: readonly Buffer[], id: SettingId, sealed: Buffer): unknown {
  const opened = unwrapByAny(keys, id, sealed);
  try {
    return opened && JSON.parse(opened.plain.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
