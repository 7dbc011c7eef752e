import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { attachmentReadings, attachmentTexts } from '../../../database/schema/index.ts';
import { toStorableText } from '../../../database/storable.ts';
import type { Attachment } from './stored-message.ts';

/** Text of a document or transcript of a recording. */
export interface AttachmentText {
  readonly messageId: number;
  /** Index in the message's attachments. */
  readonly position: number;
  /** Empty if the document consists of scanned pages. */
  readonly text: string;
  /** Share of the document that the text covers, above 0 and at most 1. */
  readonly share: number;
  /** Pages of a PDF; undefined for others, and for those read by older versions. */
  readonly pageCount?: number | undefined;
}

export interface AttachmentReading {
  readonly answerId: number;
  /** Index in the question's attachments. */
  readonly position: number;
}

/** Stores texts of attachments, so that a file is read only once. They are deleted with their message. */
export function createAttachmentTexts({ db }: { readonly db: Database }) {
  return {
    /** Stores the text of an attachment. Idempotent. */
    async storeText({ text, ...read }: AttachmentText): Promise<void> {
      await db
        .insert(attachmentTexts)
        .values({ ...read, text: toStorableText(text) })
        .onConflictDoNothing();
    },
    /** Returns the texts of several messages, in no particular order. */
    async listTexts(messageIds: readonly number[]): Promise<readonly AttachmentText[]> {
      if (messageIds.length === 0) return [];
      const isWanted = inArray(attachmentTexts.messageId, [...messageIds]);
      const rows = await db.select().from(attachmentTexts).where(isWanted);
      return rows.map(({ pageCount, ...row }) => ({ ...row, ...(pageCount !== null && { pageCount }) }));
    },
    /**
     * Records that reading starts. Call before reading.
     * @returns false if it was recorded before and has not ended: a process ended meanwhile, perhaps because of this
     * file.
     */
    async beginReading(reading: AttachmentReading): Promise<boolean> {
      const begun = await db.insert(attachmentReadings).values(reading).onConflictDoNothing().returning();
      return begun.length > 0;
    },
    /** Records that reading has ended, whether it succeeded or not. */
    async endReading({ answerId, position }: AttachmentReading): Promise<void> {
      const isReading = and(eq(attachmentReadings.answerId, answerId), eq(attachmentReadings.position, position));
      await db.delete(attachmentReadings).where(isReading);
    },
  };
}

/** Returns the positions whose attachment is unchanged, so that its stored text is still valid. */
export function listUnchanged(before: readonly Attachment[], now: readonly Attachment[]): readonly number[] {
  return [...now.keys()].filter((position) => isDeepStrictEqual(before[position], now[position]));
}
