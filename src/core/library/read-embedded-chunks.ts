import { eq, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { conversations, libraryChunks, messages } from '../../database/schema/index.ts';
import type { ChatOwner } from '../conversations/index.ts';
import { type EntryKey, toEntryId, toEntryKey } from './entry-id.ts';
import { type FindEntriesDeps, findEntries } from './find-entries.ts';
import { readChunkTexts } from './read-texts.ts';

/** A chunk with the text by which its vector is made. */
export interface EmbeddedChunk {
  readonly chunkId: number;
  readonly text: string;
  /** User and group that the usage is recorded for: the author of a group's conversation. */
  readonly usedBy: { readonly userId: number; readonly chatId: number | undefined };
}

/** Returns the chunks that can be found and have a text, with the names of documents and files before it. */
export async function readEmbeddedChunks(
  deps: FindEntriesDeps,
  chunkIds: readonly number[],
): Promise<readonly EmbeddedChunk[]> {
  const [rows, texts] = await Promise.all([readOwners(deps.db, chunkIds), readChunkTexts(deps.db, chunkIds)]);
  const names = await findNames(deps, rows);
  return rows.flatMap(({ chunkId, entry, owner, userId }) => {
    const id = toEntryId(entry);
    if (userId === null || !names.has(id)) return [];
    const text = [names.get(id), texts.get(chunkId)].filter((part) => part?.trim()).join('\n\n');
    const chatId = 'groupId' in owner ? owner.groupId : undefined;
    return text === '' ? [] : { chunkId, text, usedBy: { userId, chatId } };
  });
}

interface OwnedChunk {
  readonly chunkId: number;
  readonly entry: EntryKey;
  readonly owner: ChatOwner;
  /** User who has the conversation or the file. */
  readonly userId: number | null;
}

async function readOwners(db: Database, chunkIds: readonly number[]): Promise<readonly OwnedChunk[]> {
  const { id: chunkId, messageId, position, fileId, userId, groupId } = libraryChunks;
  const rows = await db
    .select({ ...{ chunkId, messageId, position, fileId, userId, groupId }, asked: conversations.userId })
    .from(libraryChunks)
    .leftJoin(messages, eq(messages.id, messageId))
    .leftJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(sql`${chunkId} = any (${toBigintArray(chunkIds)})`);
  return rows.flatMap(({ chunkId: id, userId: ownerId, groupId: group, asked, ...columns }) => {
    const owner = ownerId !== null ? { userId: ownerId } : group !== null ? { groupId: group } : undefined;
    return owner ? { chunkId: id, entry: toEntryKey(columns), owner, userId: ownerId ?? asked } : [];
  });
}

/** Returns the names of the entries that their owners can find, by id; an empty name for messages. */
async function findNames(deps: FindEntriesDeps, chunks: readonly OwnedChunk[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const byOwner = Map.groupBy(chunks, ({ owner }) => JSON.stringify(owner));
  for (const ofOwner of byOwner.values()) {
    const [first] = ofOwner;
    const keys = ofOwner.map(({ entry }) => entry);
    if (!first) continue;
    const entries = await findEntries(deps, first.owner, keys);
    for (const { id, key, title = '' } of entries.values()) names.set(id, key.kind === 'message' ? '' : title);
  }
  return names;
}
