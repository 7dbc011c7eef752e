import { timingSafeEqual } from 'node:crypto';
import { and, count, desc, eq, gt, isNull, or, type SQL, sum } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { contains } from '../../database/expressions.ts';
import { files } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId, createSecret, hashSecret } from '../../lib/ids.ts';
import type { Passwords } from './download/passwords.ts';
import type { Credential, FileChanges, NewTelegramFile, Storage, StoredFile, UploadedFile } from './storage.ts';
import { cleanMediaType } from './upload/clean-media-type.ts';
import { cleanName } from './upload/clean-name.ts';

/** Returns the condition that a file is complete and has not expired. */
export function isReady(now: number): SQL | undefined {
  return and(eq(files.state, 'ready'), or(isNull(files.expiresAt), gt(files.expiresAt, new Date(now))));
}

export type FileRow = typeof files.$inferSelect;

const MAX_PAGE = 100;

export interface FileRowsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly passwords: Pick<Passwords, 'hash'>;
}

/** Creates the queries for rows of files. */
export function createFileRows({ db, clock, passwords }: FileRowsDeps) {
  const isReadyNow = () => isReady(clock.now());
  const hasDownloads = or(isNull(files.downloadsLeft), gt(files.downloadsLeft, 0));

  const rows = {
    /** Finds a complete file that has not expired, even if no downloads are left. */
    async findRow(id: string): Promise<FileRow | undefined> {
      const [row] = await db
        .select()
        .from(files)
        .where(and(eq(files.id, id), isReadyNow()));
      return row;
    },
    async find(id: string): Promise<StoredFile | undefined> {
      const [row] = await db
        .select()
        .from(files)
        .where(and(eq(files.id, id), isReadyNow(), hasDownloads));
      return row && toStoredFile(row);
    },
    async change(...[id, by, changes]: Parameters<Storage['change']>): Promise<StoredFile | undefined> {
      const row = await rows.findRow(id);
      if (!row || !isAllowed(row, by)) return undefined;
      const values = await toValues(passwords, row, changes);
      if (Object.keys(values).length === 0) return toStoredFile(row);
      const [changed] = await db
        .update(files)
        .set(values)
        .where(and(eq(files.id, id), isReadyNow()))
        .returning();
      return changed && toStoredFile(changed);
    },
    async list(...[userId, page]: Parameters<Storage['list']>): ReturnType<Storage['list']> {
      const search = page.search ? contains(files.name, page.search) : undefined;
      const kind = page.kind && eq(files.kind, page.kind);
      const isListed: SQL | undefined = and(eq(files.userId, userId), isReadyNow(), hasDownloads, search, kind);
      const found = await db
        .select()
        .from(files)
        .where(isListed)
        .orderBy(desc(files.createdAt), desc(files.id))
        .limit(Math.min(Math.max(page.limit, 0), MAX_PAGE))
        .offset(Math.max(page.offset, 0));
      const [total] = await db
        .select({ count: count(), sizeBytes: sum(files.sizeBytes).mapWith(Number) })
        .from(files)
        .where(isListed);
      return {
        files: found.map(toStoredFile),
        totalCount: total?.count ?? 0,
        // The sum of no rows is null.
        totalBytes: total?.sizeBytes ?? 0,
      };
    },
  };
  return rows;
}

async function toValues(passwords: Pick<Passwords, 'hash'>, row: FileRow, changes: FileChanges) {
  const { name, expiresAt, password } = changes;
  const client = `user:${row.userId}`;
  return {
    ...(name !== undefined && { name: cleanName(name) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(password !== undefined && { passwordHash: password === null ? null : await passwords.hash(password, client) }),
  };
}

/** Returns whether the credential allows changing and deleting this file. Compares owner keys in constant time. */
export function isAllowed(row: Pick<FileRow, 'ownerKeyHash' | 'userId'>, by: Credential): boolean {
  return 'ownerKey' in by ? isOwnerKey(by.ownerKey, row.ownerKeyHash) : row.userId === by.userId;
}

/** Converts a row to its public form, without secrets. */
export function toStoredFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    mediaType: row.mediaType,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256 ?? undefined,
    userId: row.userId ?? undefined,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt ?? undefined,
    downloadsLeft: row.downloadsLeft ?? undefined,
    hasPassword: row.passwordHash !== null,
    isInline: row.isInline,
    telegram: row.telegram ?? undefined,
  };
}

/** Stores the row of a file whose bytes only Telegram has: it is ready at once, and has no parts. */
export async function storeTelegramFile(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  file: NewTelegramFile,
): Promise<UploadedFile> {
  const { ownerKey, ownerKeyHash } = createOwnerKey();
  const [row] = await db
    .insert(files)
    .values({
      id: file.id ?? createId(),
      ownerKeyHash,
      userId: file.userId,
      name: cleanName(file.name),
      mediaType: cleanMediaType(file.mediaType),
      state: 'ready',
      sizeBytes: file.sizeBytes,
      telegram: file.telegram,
      createdAt: new Date(clock.now()),
    })
    .returning();
  if (!row) throw new Error('A file was not stored');
  return { ...toStoredFile(row), ownerKey };
}

/** Creates an owner key and its SHA-256 hash, the only form in which it is stored. */
export function createOwnerKey(): { readonly ownerKey: string; readonly ownerKeyHash: string } {
  const ownerKey = createSecret();
  return { ownerKey, ownerKeyHash: hashSecret(ownerKey) };
}

/** Compares in constant time. */
function isOwnerKey(ownerKey: string, ownerKeyHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(ownerKey), 'hex'), Buffer.from(ownerKeyHash, 'hex'));
}
