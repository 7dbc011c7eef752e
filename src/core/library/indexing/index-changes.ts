import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import {
  attachmentTexts,
  files,
  fileTexts,
  libraryChanges,
  libraryChunks,
  messages,
} from '../../../database/schema/index.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { DocumentTexts } from '../../documents/index.ts';
import { type EntryKey, toEntryId } from '../entry-id.ts';
import { findLastNumber } from '../last-number.ts';
import { toOwnerWord, toShelfWord } from '../owner.ts';
import { TEXT_SEARCH } from '../search/text-search.ts';
import { toIndexedText } from '../search/words.ts';
import { type Chunk, cutChunks } from './cut-chunks.ts';
import { queueFiles } from './file-texts.ts';
import {
  type Change,
  claimChanges,
  type EntryText,
  FILE_VERSION,
  MESSAGE_VERSION,
  readEntryTexts,
  renewLeases,
} from './read-changes.ts';

export interface IndexChangesDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly documents: Pick<DocumentTexts, 'canRead'>;
}

/** Changes claimed at once: the newest ones, so that new messages are found soon while an old service is indexed. */
const MAX_NEWEST = 16;
/** Changes claimed at once: the oldest ones, so that chunks are numbered in about the order of their times. */
const MAX_OLDEST = 48;
/** Longer texts are indexed in part. */
const MAX_TEXT_UNITS = 1_000_000;
/** Size of a transaction in UTF-16 units: the embedded database blocks this thread while it indexes. */
const BATCH_UNITS = 6000;
/** Size that counts for a step in addition to its text. */
const STEP_UNITS = 100;
/** Attempts after which a text is left out of the index. */
const MAX_ATTEMPTS = 5;
/** Below the time after which Postgres ends one of two transactions that wait for each other. */
const LOCK_TIMEOUT = '300ms';

/** One step of indexing an entry. */
interface IndexStep {
  readonly change: Change;
  readonly text: EntryText;
  /** Undefined if the entry has no words. */
  readonly chunk: Chunk | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * Indexes texts that are new or have changed, a limited number of them. What it leaves unfinished after a failure or a
 * crash is indexed again a minute later.
 * @returns the number of texts that it has begun to index.
 */
export async function indexChanges({ db, logger, documents }: IndexChangesDeps, signal: AbortSignal): Promise<number> {
  const newest = await claimChanges(db, 'newest', MAX_NEWEST);
  const changes = newest.length < MAX_NEWEST ? newest : [...newest, ...(await claimChanges(db, 'oldest', MAX_OLDEST))];
  if (changes.length === 0) return 0;
  await queueFiles(
    db,
    documents,
    changes.flatMap(({ entry }) => (entry.kind === 'file' ? entry.fileId : [])),
  );
  let waiting = changes;
  while (waiting.length > 0) {
    await renewLeases(db, waiting);
    const group = takeGroup(waiting);
    await indexGroup({ db, logger }, group, signal);
    waiting = waiting.slice(group.length);
  }
  return changes.length;
}

/** Takes the first messages together, or one long text alone: reading many of these would block the thread. */
function takeGroup(changes: readonly Change[]): readonly Change[] {
  const end = changes.findIndex(({ entry }) => entry.kind !== 'message');
  return changes.slice(0, end < 0 ? changes.length : Math.max(1, end));
}

async function indexGroup(
  { db, logger }: Pick<IndexChangesDeps, 'db' | 'logger'>,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<void> {
  const texts = await readEntryTexts(
    db,
    changes.map(({ entry }) => entry),
  );
  const steps: IndexStep[] = [];
  for (const change of changes) {
    const text = texts.get(toEntryId(change.entry));
    if (text && change.attempts <= MAX_ATTEMPTS) steps.push(...toSteps(change, text));
    else await db.delete(libraryChanges).where(eq(libraryChanges.id, change.id));
    if (text && change.attempts > MAX_ATTEMPTS)
      logger.error({ entry: toEntryId(change.entry) }, 'a text could not be indexed and is left out of the library');
  }
  for (const batch of toBatches(steps)) {
    signal.throwIfAborted();
    await db.transaction((tx) => writeBatch(tx, batch));
    // The embedded database resolves without yielding to the event loop.
    await yieldToEventLoop();
  }
}

function toSteps(change: Change, text: EntryText): readonly IndexStep[] {
  const chunks = cutChunks(text.text.slice(0, MAX_TEXT_UNITS));
  // An entry without text is found by its name.
  const nameOnly = text.title === undefined ? undefined : { text: '', start: 0, length: 0 };
  const all = chunks.length > 0 ? chunks : [nameOnly];
  return all.map((chunk, index) => ({
    change,
    text,
    chunk,
    isFirst: index === 0,
    isLast: index === all.length - 1,
  }));
}

/** Divides steps into batches of about the same size. */
function toBatches(steps: readonly IndexStep[]): readonly (readonly IndexStep[])[] {
  const batches: IndexStep[][] = [];
  let units = Number.POSITIVE_INFINITY;
  for (const step of steps) {
    if (units > BATCH_UNITS) {
      batches.push([]);
      units = 0;
    }
    batches.at(-1)?.push(step);
    units += STEP_UNITS + (step.chunk?.text.length ?? 0);
  }
  return batches;
}

async function writeBatch(tx: Database, batch: readonly IndexStep[]): Promise<void> {
  await tx.execute(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
  const current = await lockCurrent(
    tx,
    batch.map(({ change: { entry: key }, text: { version } }) => ({ key, version })),
  );
  const written = batch.filter(({ change }) => current.has(toEntryId(change.entry)));
  const begun = written.filter(({ isFirst }) => isFirst).map(({ change }) => change.entry);
  await deleteChunks(tx, begun);
  const rows = await toRows(tx, written);
  if (rows.length > 0) await insertRows(tx, rows);
  const done = batch.filter(({ isLast }) => isLast).map(({ change }) => change.id);
  if (done.length > 0) await tx.delete(libraryChanges).where(inArray(libraryChanges.id, done));
}

/** Deletes the chunks of entries. */
async function deleteChunks(tx: Database, keys: readonly EntryKey[]): Promise<void> {
  if (keys.length === 0) return;
  const { messageId, position, fileId } = libraryChunks;
  const ids = keys.flatMap((key) => (key.kind === 'message' ? key.messageId : []));
  const attached = keys.flatMap((key) => (key.kind === 'attachment' ? key : []));
  const fileIds = keys.flatMap((key) => (key.kind === 'file' ? key.fileId : []));
  await tx
    .delete(libraryChunks)
    .where(
      or(
        and(inArray(messageId, ids), isNull(position)),
        ...attached.map((key) => and(eq(messageId, key.messageId), eq(position, key.position))),
        inArray(fileId, fileIds),
      ),
    );
}

async function toRows(tx: Database, steps: readonly IndexStep[]): Promise<readonly object[]> {
  const rows: object[] = [];
  const lastNumbers = new Map<string, number>();
  for (const { change, text, chunk, isFirst } of steps) {
    if (!chunk) continue;
    const { owner, sentAt, title } = text;
    const ownerWord = toOwnerWord(owner);
    const number = (lastNumbers.get(ownerWord) ?? (await findLastNumber(tx, owner))) + 1;
    lastNumbers.set(ownerWord, number);
    rows.push({
      messageId: null,
      position: null,
      fileId: null,
      userId: null,
      groupId: null,
      ...withoutKind(change.entry),
      ...owner,
      number,
      sentAt: sentAt.toISOString(),
      start: chunk.start,
      length: chunk.length,
      text: toIndexedText(chunk.text),
      ownerWord,
      shelfWord: toShelfWord(owner, number),
      title: isFirst && title !== undefined ? toIndexedText(title) : '',
    });
  }
  return rows;
}

function withoutKind({ kind: _kind, ...columns }: EntryKey) {
  return columns;
}

async function insertRows(tx: Database, rows: readonly object[]): Promise<void> {
  await tx.execute(sql`
    insert into library_chunks (message_id, position, file_id, user_id, group_id, number, sent_at, start, length, words)
    select "messageId", position, "fileId", "userId", "groupId", number, "sentAt", start, length,
      setweight(to_tsvector(${TEXT_SEARCH}, title), 'A') || to_tsvector(${TEXT_SEARCH}, text)
        || array_to_tsvector(array["ownerWord", "shelfWord"])
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as chunk (
      "messageId" bigint, position integer, "fileId" text, "userId" integer, "groupId" bigint, number integer, "sentAt" timestamptz,
      start integer, length integer, title text, text text, "ownerWord" text, "shelfWord" text
    )`);
}

/**
 * Locks the texts of entries against changes and returns the ids of those that have not changed since they were read.
 * For the others, a newer change waits to be indexed.
 */
async function lockCurrent(
  tx: Database,
  entries: readonly { readonly key: EntryKey; readonly version: string | undefined }[],
): Promise<ReadonlySet<string>> {
  const messageIds = entries.flatMap(({ key }) => (key.kind === 'message' ? key.messageId : []));
  const attached = entries.flatMap(({ key }) => (key.kind === 'attachment' ? key.messageId : []));
  const fileIds = entries.flatMap(({ key }) => (key.kind === 'file' ? key.fileId : []));
  const contents = await tx
    .select({ messageId: messages.id, version: MESSAGE_VERSION })
    .from(messages)
    .where(inArray(messages.id, messageIds))
    .orderBy(messages.id)
    .for('share');
  const attachments = await tx
    .select({ messageId: attachmentTexts.messageId, position: attachmentTexts.position })
    .from(attachmentTexts)
    .where(inArray(attachmentTexts.messageId, attached))
    .for('share');
  const stored = await tx
    .select({ fileId: files.id, version: FILE_VERSION })
    .from(files)
    .leftJoin(fileTexts, eq(fileTexts.fileId, files.id))
    .where(inArray(files.id, fileIds))
    .orderBy(files.id)
    .for('share', { of: files });
  const versions = new Map<string, string | undefined>([
    ...contents.map(({ version, ...key }) => [toEntryId({ kind: 'message', ...key }), version] as const),
    ...attachments.map((key) => [toEntryId({ kind: 'attachment', ...key }), undefined] as const),
    ...stored.map(({ version, ...key }) => [toEntryId({ kind: 'file', ...key }), version] as const),
  ]);
  const ids = entries.map(({ key, version }) => ({ id: toEntryId(key), version }));
  return new Set(ids.flatMap(({ id, version }) => (versions.has(id) && versions.get(id) === version ? id : [])));
}
