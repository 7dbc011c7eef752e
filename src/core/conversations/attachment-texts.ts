import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { attachmentReadings, attachmentTexts } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Attachment } from './stored-message.ts';

/** What was read in a document, or said in a recording. */
export interface AttachmentText {
  readonly messageId: number;
  /** In the message's attachments, from 0. */
  readonly position: number;
  readonly text: string;
  /** How much of the document the text holds, above 0: 1 is all of it. */
  readonly share: number;
}

/** Reading of one file for one answer. */
export interface AttachmentReading {
  readonly answerId: number;
  /** In the question's attachments, from 0. */
  readonly position: number;
}

/** The words in people's files, kept so that later questions know them and nothing is read twice. They go with their message. */
export interface AttachmentTexts {
  /** Repeating is harmless. */
  keepText(read: AttachmentText): Promise<void>;
  /** Of these messages, in no order. */
  listTexts(messageIds: readonly number[]): Promise<readonly AttachmentText[]>;
  /**
   * Notes that reading begins, before it does.
   * @returns false if it was noted before and has not ended: a process ended meanwhile, perhaps because of this file.
   */
  beginReading(reading: AttachmentReading): Promise<boolean>;
  /** Notes that reading has ended, whether it succeeded or not. */
  endReading(reading: AttachmentReading): Promise<void>;
}

/** The words in people's files in the database. */
export function createAttachmentTexts({ db }: { readonly db: Database }): AttachmentTexts {
  return {
    async keepText({ text, ...read }) {
      await db
        .insert(attachmentTexts)
        .values({ ...read, text: toStorableText(text) })
        .onConflictDoNothing();
    },
    listTexts: async (messageIds) =>
      messageIds.length === 0
        ? []
        : db
            .select()
            .from(attachmentTexts)
            .where(inArray(attachmentTexts.messageId, [...messageIds])),
    async beginReading(reading) {
      const begun = await db.insert(attachmentReadings).values(reading).onConflictDoNothing().returning();
      return begun.length > 0;
    },
    async endReading({ answerId, position }) {
      const isReading = and(eq(attachmentReadings.answerId, answerId), eq(attachmentReadings.position, position));
      await db.delete(attachmentReadings).where(isReading);
    },
  };
}

/** The positions of files that stand where they stood: what was read in them still holds. */
export function listUnchanged(before: readonly Attachment[], now: readonly Attachment[]): readonly number[] {
  return [...now.keys()].filter((position) => isDeepStrictEqual(before[position], now[position]));
}
