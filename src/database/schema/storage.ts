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

/** Files, including uploads in progress. A deleted file has no row. */
export const files = pgTable(
  'files',
  {
    /** 122 random bits in base64url. */
    id: text().primaryKey(),
    /** SHA-256 of the owner key, hexadecimal. */
    ownerKeyHash: text('owner_key_hash').notNull(),
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Keyed hash of the uploader's address, for quotas. */
    addressHash: text('address_hash'),
    name: text().notNull(),
    mediaType: text('media_type').notNull(),
    state: text({ enum: ['uploading', 'ready'] }).notNull(),
    /** `conversation`: a shared conversation, which has its own page and can't be uploaded. */
    kind: text({ enum: ['file', 'conversation'] })
      .notNull()
      .default('file'),
    /** Bytes received so far, until the upload is complete. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    sha256: text(),
    /** Encrypted key of the file's parts; null if the bytes are only at Telegram. */
    wrappedKey: bytea('wrapped_key'),
    /** An upload whose lease is not renewed by then counts as abandoned. */
    leaseUntil: timestamp('lease_until', { withTimezone: true }),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    downloadsLeft: integer('downloads_left'),
    /** Salted hash; null without a password. */
    passwordHash: text('password_hash'),
    isInline: boolean('is_inline').notNull().default(false),
    /** Telegram file of the same content. */
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
    index('files_user').on(table.userId, table.createdAt),
    index('files_address').on(table.addressHash, table.createdAt),
    index('files_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('files_lease').on(table.leaseUntil).where(sql`${table.state} = 'uploading'`),
  ],
);

/**
 * Running downloads of files with a limit. Each holds one of the file's remaining downloads, which is free again when
 * the lease ends without the download being counted.
 */
export const downloads = pgTable(
  'downloads',
  {
    id: text().primaryKey(),
    fileId: text('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    leaseUntil: timestamp('lease_until', { withTimezone: true }).notNull(),
  },
  (table) => [index('downloads_file').on(table.fileId)],
);

/** Blobs in the store, and the journal of every `put`: a row is inserted before the store is called. */
export const blobs = pgTable(
  'blobs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Kind of store. */
    store: text().notNull(),
    /** Random name under which the store keeps the blob. */
    name: text().notNull().unique(),
    /** Location in the store; null until the store has confirmed. */
    locator: jsonb(),
    sizeBytes: integer('size_bytes').notNull(),
    /** `intended` before the store is called, `stored` after its confirmation. */
    state: text({ enum: ['intended', 'stored'] }).notNull(),
    /** A row without parts is deleted after this time. */
    leaseUntil: timestamp('lease_until', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('blobs_state', sql`${table.state} in ('intended', 'stored')`),
    check('blobs_stored_has_locator', sql`${table.state} <> 'stored' or ${table.locator} is not null`),
    index('blobs_lease').on(table.leaseUntil),
  ],
);

/** Parts of files, with their location in a blob. */
export const parts = pgTable(
  'parts',
  {
    fileId: text('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    /** From 0, without gaps. */
    position: integer().notNull(),
    /** Offset in the file. */
    fileOffset: bigint('file_offset', { mode: 'number' }).notNull(),
    /** Unencrypted size; the encrypted part is larger by one tag per segment. */
    sizeBytes: integer('size_bytes').notNull(),
    blobId: bigint('blob_id', { mode: 'number' })
      .notNull()
      .references(() => blobs.id),
    /** Offset of the encrypted part in the blob. */
    blobOffset: integer('blob_offset').notNull(),
    /** Prefix of the nonces, unique to this part. */
    noncePrefix: bytea('nonce_prefix').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.position] }),
    check('parts_sizes', sql`${table.sizeBytes} > 0 and ${table.fileOffset} >= 0 and ${table.blobOffset} >= 0`),
    index('parts_blob').on(table.blobId),
  ],
);

/** Uploaded bytes per uploader and hour, including deleted files, for daily quotas. */
export const uploadVolumes = pgTable(
  'upload_volumes',
  {
    /** `user:<id>` or `address:<keyed hash>`. */
    client: text('client').notNull(),
    /** Start of the hour. */
    hour: timestamp({ withTimezone: true }).notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.client, table.hour] }), index('upload_volumes_hour').on(table.hour)],
);

/** SHA-256 of content blocked by the operator. */
export const blockedHashes = pgTable('blocked_hashes', {
  sha256: text().primaryKey(),
  reason: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
