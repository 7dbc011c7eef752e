import { and, between, desc, eq, inArray, isNotNull, isNull, lte, ne, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { lockUser } from '../../../database/lock-user.ts';
import { files, fileTexts, libraryChanges } from '../../../database/schema/index.ts';
import type { DocumentProblem, DocumentTexts } from '../../documents/index.ts';

/** A stored file whose text is to be read. */
export interface UnreadFile {
  readonly fileId: string;
  readonly userId: number;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** `lost`: the bytes of the file are missing. `library-full`: the texts of the user's files are too large already. */
export type FileProblem = DocumentProblem | 'lost' | 'library-full';

/** The limit of documents in chats. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** Covers the time in which a file is loaded and read. */
const LEASE_MINUTES = 3;

/**
 * Adds the files whose text can be read to those that wait for it. Left out: files with a password or a limit of
 * downloads, those of which only Telegram has the bytes, and shared conversations, whose messages are found themselves.
 */
export async function queueFiles(
  db: Database,
  { canRead }: Pick<DocumentTexts, 'canRead'>,
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return;
  await db.transaction(async (tx) => {
    const rows = await tx
      .select({ fileId: files.id, userId: files.userId, name: files.name, mediaType: files.mediaType })
      .from(files)
      .where(and(inArray(files.id, [...fileIds]), isReadable()))
      .orderBy(files.id)
      .for('key share');
    const readable = rows.flatMap(({ fileId, userId, ...document }) =>
      userId !== null && canRead(document) ? { fileId, userId } : [],
    );
    if (readable.length === 0) return;
    // A file with another name may be read in another way.
    const again = { problem: null, attempts: 0, dueAt: sql`now()` };
    await tx
      .insert(fileTexts)
      .values(readable)
      .onConflictDoUpdate({ target: fileTexts.fileId, set: again, setWhere: isNotNull(fileTexts.problem) });
  });
}

function isReadable() {
  return and(
    eq(files.state, 'ready'),
    eq(files.kind, 'file'),
    isNull(files.passwordHash),
    isNull(files.downloadsLeft),
    isNotNull(files.wrappedKey),
    between(files.sizeBytes, 1, MAX_FILE_BYTES),
  );
}

/** Claims the file that became due last for this process. */
export async function claimFile(db: Database): Promise<UnreadFile | undefined> {
  const due = db
    .select({ fileId: fileTexts.fileId })
    .from(fileTexts)
    .where(lte(fileTexts.dueAt, sql`now()`))
    .orderBy(desc(fileTexts.dueAt))
    .limit(1)
    .for('update', { skipLocked: true });
  const [row] = await db
    .update(fileTexts)
    .set({ dueAt: inMinutes(LEASE_MINUTES) })
    .from(files)
    // A scalar, not `in`: the planner may evaluate such a subquery once per row and claim another row each time.
    .where(and(eq(fileTexts.fileId, sql`(${due})`), eq(files.id, fileTexts.fileId)))
    .returning({
      fileId: fileTexts.fileId,
      userId: fileTexts.userId,
      name: files.name,
      mediaType: files.mediaType,
      sizeBytes: files.sizeBytes,
    });
  return row;
}

/** Records that reading begins. @returns the number of attempts, including this one. */
export async function beginAttempt(db: Database, fileId: string): Promise<number> {
  const [row] = await db
    .update(fileTexts)
    .set({ attempts: sql`${fileTexts.attempts} + 1` })
    .where(eq(fileTexts.fileId, fileId))
    .returning({ attempts: fileTexts.attempts });
  return row?.attempts ?? 0;
}

/**
 * Stores the text of a file, and queues it for the index.
 * @returns false if the texts of the user's files would become larger than `maxUserBytes`.
 */
export async function saveFileText(
  db: Database,
  { fileId, userId }: Pick<UnreadFile, 'fileId' | 'userId'>,
  content: string,
  maxUserBytes: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The lock serialises concurrent calls, so that the sum stays correct.
    await lockUser(tx, userId);
    const isOther = and(eq(fileTexts.userId, userId), ne(fileTexts.fileId, fileId));
    const [sum] = await tx
      .select({ bytes: sql`coalesce(sum(octet_length(${fileTexts.text})), 0)`.mapWith(Number) })
      .from(fileTexts)
      .where(isOther);
    if ((sum?.bytes ?? 0) + Buffer.byteLength(content) > maxUserBytes) return false;
    // A file that is indexed at this moment without the text is indexed again afterwards.
    const [file] = await tx.select({ id: files.id }).from(files).where(eq(files.id, fileId)).for('update');
    if (!file) return true;
    await tx.update(fileTexts).set({ text: content, problem: null, dueAt: null }).where(eq(fileTexts.fileId, fileId));
    await tx.insert(libraryChanges).values({ fileId });
    return true;
  });
}

/** Records why a file gives no text. It is found by its name. */
export async function saveFileProblem(db: Database, fileId: string, problem: FileProblem): Promise<void> {
  await db.update(fileTexts).set({ problem, dueAt: null }).where(isWaiting(fileId));
}

/** Lets a file be read again after some time. */
export async function postponeFile(db: Database, fileId: string, minutes: number): Promise<void> {
  await db
    .update(fileTexts)
    .set({ dueAt: inMinutes(minutes) })
    .where(isWaiting(fileId));
}

/** Ends the attempt of a process that is ending. */
export async function releaseFile(db: Database, fileId: string, wasBegun: boolean): Promise<void> {
  const attempts = wasBegun ? sql`${fileTexts.attempts} - 1` : fileTexts.attempts;
  await db
    .update(fileTexts)
    .set({ attempts: sql`${attempts}`, dueAt: sql`now()` })
    .where(isWaiting(fileId));
}

function isWaiting(fileId: string) {
  return and(eq(fileTexts.fileId, fileId), isNotNull(fileTexts.dueAt));
}

function inMinutes(minutes: number) {
  return sql`now() + ${minutes} * interval '1 minute'`;
}
