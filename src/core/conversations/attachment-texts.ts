import { isDeepStrictEqual } from 'node:util';
import { inArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { attachmentTexts } from '../../database/schema/index.ts';
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

/** The words in people's files, kept so that later questions know them and nothing is read twice. They go with their message. */
export interface AttachmentTexts {
  /** Repeating is harmless. */
  keepText(read: AttachmentText): Promise<void>;
  /** Of these messages, in no order. */
  listTexts(messageIds: readonly number[]): Promise<readonly AttachmentText[]>;
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
  };
}

/** The positions of files that stand where they stood: what was read in them still holds. */
export function listUnchanged(before: readonly Attachment[], now: readonly Attachment[]): readonly number[] {
  return [...now.keys()].filter((position) => isDeepStrictEqual(before[position], now[position]));
}
