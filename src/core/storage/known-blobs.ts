import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { blobs } from '../../database/schema/index.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { BlobLocator } from './blob-store.ts';

/** What a store may ask about the blobs that it has taken. */
export interface KnownBlobs {
  /** Stored blobs of one store that were put at about that time: the last ones before it and the first ones from then on. */
  listAround(query: KnownBlobsQuery): Promise<readonly KnownBlob[]>;
}

export interface KnownBlobsQuery {
  /** The kind of store. */
  readonly store: string;
  /** Only blobs whose locator has these fields. */
  readonly like: BlobLocator;
  readonly at: Date;
  /** On each side. */
  readonly limit: number;
}

export interface KnownBlob {
  readonly locator: BlobLocator;
  /** Shortly before the store was asked. */
  readonly createdAt: Date;
}

/** Reads the journal. */
export function createKnownBlobs({ db }: { readonly db: Database }): KnownBlobs {
  return {
    async listAround({ store, like, at, limit }) {
      const columns = { locator: blobs.locator, createdAt: blobs.createdAt };
      const isMeant = and(
        eq(blobs.store, store),
        eq(blobs.state, 'stored'),
        sql`${blobs.locator} @> ${JSON.stringify(like)}::jsonb`,
      );
      const before = await db
        .select(columns)
        .from(blobs)
        .where(and(isMeant, lt(blobs.createdAt, at)))
        .orderBy(desc(blobs.createdAt))
        .limit(limit);
      const after = await db
        .select(columns)
        .from(blobs)
        .where(and(isMeant, gte(blobs.createdAt, at)))
        .orderBy(asc(blobs.createdAt))
        .limit(limit);
      return [...before, ...after].flatMap(({ locator, createdAt }) =>
        isJsonObject(locator) ? [{ locator, createdAt }] : [],
      );
    },
  };
}
