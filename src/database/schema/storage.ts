import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { bytea } from './bytea.ts';

type TelegramFileKind = 'document' | 'photo' | 'video' | 'audio' | 'voice' | 'animation' | 'sticker' | 'video_note';

/** Files that were uploaded or are just being uploaded. A deleted file has no row. */
export const files = pgTable(
  'files',
  {
    /** 128 random bits in base64url. */
    id: text().primaryKey(),
    /** SHA-256 of the owner key, hexadecimal. */
    ownerKeyHash: text('owner_key_hash').notNull(),
    userId: integer('person_id').references(() => users.id, { onDelete: 'set null' }),
    /** Keyed hash of the sender's address, for quotas. */
    addressHash: text('address_hash'),
    name: text().notNull(),
    mediaType: text('media_type').notNull(),
    state: text({ enum: ['uploading', 'ready'] }).notNull(),
    /** A conversation that was shared has a page of its own. Nobody can upload one. */
    kind: text({ enum: ['file', 'conversation'] })
      .notNull()
      .default('file'),
    /** Bytes; while it is being uploaded those that have arrived. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    sha256: text(),
    /** The key that its parts are encrypted with, itself encrypted; null where only Telegram has the bytes. */
    wrappedKey: bytea('wrapped_key'),
    /** An upload that has not said anything by then is abandoned. */
    leaseUntil: timestamp('lease_until', { withTimezone: true }),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    downloadsLeft: integer('downloads_left'),
    /** Salted hash; null where it has none. */
    passwordHash: text('password_hash'),
    isInline: boolean('is_inline').notNull().default(false),
    /** Where Telegram can hand it over. */
    telegram: jsonb().$type<{ readonly fileId: string; readonly kind: TelegramFileKind }>(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('files_state', sql`${table.state} in ('uploading', 'ready')`),
    check('files_kind', sql`${table.kind} in ('file', 'conversation')`),
    check('files_size', sql`${table.sizeBytes} >= 0`),
    check('files_downloads', sql`${table.downloadsLeft} >= 0`),
    check('files_owner_key_hash', sql`${table.ownerKeyHash} ~ '^[0-9a-f]{64}$'`),
    check('files_uploading_has_lease', sql`${table.state} = 'ready' or ${table.leaseUntil} is not null`),
    index('files_person').on(table.userId, table.createdAt),
    index('files_address').on(table.addressHash, table.createdAt),
    index('files_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('files_lease').on(table.leaseUntil).where(sql`${table.state} = 'uploading'`),
  ],
);

/** What lies in the store: the journal of every `put`. A row stands here before the store is asked. */
export const blobs = pgTable(
  'blobs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The kind of store. */
    store: text().notNull(),
    /** Random; the name that the store sees. */
    name: text().notNull().unique(),
    /** Where it lies; null until the store has said so. */
    locator: jsonb(),
    sizeBytes: integer('size_bytes').notNull(),
    /** `intended` before the store is asked, `stored` after its yes. */
    state: text({ enum: ['intended', 'stored'] }).notNull(),
    /** A row without parts is removed after this. */
    leaseUntil: timestamp('lease_until', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('blobs_state', sql`${table.state} in ('intended', 'stored')`),
    check('blobs_stored_has_locator', sql`${table.state} <> 'stored' or ${table.locator} is not null`),
    index('blobs_lease').on(table.leaseUntil),
  ],
);

/** Which piece of which blob is which piece of which file. */
export const parts = pgTable(
  'parts',
  {
    fileId: text('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    /** From 0, without gaps. */
    position: integer().notNull(),
    /** Where it begins in the file. */
    fileOffset: bigint('file_offset', { mode: 'number' }).notNull(),
    /** Bytes of the file in it; the encrypted piece is longer by a tag for each segment. */
    sizeBytes: integer('size_bytes').notNull(),
    blobId: bigint('blob_id', { mode: 'number' })
      .notNull()
      .references(() => blobs.id),
    /** Where the encrypted piece begins in the blob. */
    blobOffset: integer('blob_offset').notNull(),
    /** The part of the nonce that is this part's own. */
    noncePrefix: bytea('nonce_prefix').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.position] }),
    check('parts_sizes', sql`${table.sizeBytes} > 0 and ${table.fileOffset} >= 0 and ${table.blobOffset} >= 0`),
    index('parts_blob').on(table.blobId),
  ],
);

/** How much each sender has sent in, hour by hour, whether the files are still there or not: what daily quotas count. */
export const uploadVolumes = pgTable(
  'upload_volumes',
  {
    /** `person:<id>` or `address:<keyed hash>`. */
    sender: text().notNull(),
    /** When the hour began. */
    hour: timestamp({ withTimezone: true }).notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sender, table.hour] }), index('upload_volumes_hour').on(table.hour)],
);

/** SHA-256 of contents that the operator does not keep. */
export const blockedHashes = pgTable('blocked_hashes', {
  sha256: text().primaryKey(),
  reason: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
