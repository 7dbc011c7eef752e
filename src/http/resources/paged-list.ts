import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Page, PageKey, PageRequest } from '../../core/management/index.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { pageLimitSchema } from '../../protocols/fields/field-schemas.ts';
import { invalidRequest } from '../../protocols/http-error.ts';
import { MAX_INTEGER } from './query.ts';

const MAX_PAGE_ITEMS = 100;

/** Length above which a cursor can't be one of ours. */
const MAX_CURSOR_LENGTH = 1000;

/** Query parameters of every list. */
export const pageShape = {
  limit: pageLimitSchema(MAX_PAGE_ITEMS).describe('Entries in the answer, 1 to 100. Default 20.'),
  cursor: z
    .string('must be given once')
    .max(MAX_CURSOR_LENGTH, 'is too long')
    .optional()
    .describe('`next_cursor` of the page before. Default: from the beginning.'),
};

/** Creates the schema of a page. */
export function pageSchema(item: z.ZodType) {
  return z.strictObject({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null if this is the last one.'),
  });
}

/** Place in a list by an id of the database, for cursors. */
export const idPlaceSchema = z.tuple([z.int().min(0).max(MAX_INTEGER)]);

/** A list in pages. */
interface PagedList<Item, Key extends PageKey> {
  /** Values of the place of an item. */
  readonly keySchema: z.ZodType<Key>;
  readonly read: (page: PageRequest) => Promise<Page<Item>>;
}

/** Answers a request for a list with one page. */
export async function sendPage<Item, Key extends PageKey, Wire>(
  request: FastifyRequest,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  { keySchema, read }: PagedList<Item, Key>,
  toWire: (item: Item) => Wire,
): Promise<{ readonly data: readonly Wire[]; readonly next_cursor: string | null }> {
  const { limit: _limit, cursor: _cursor, ...filters } = request.query as JsonObject;
  const position = { list: request.routeOptions.url ?? '', filters };
  const after = cursor === undefined ? undefined : readCursor(position, cursor, keySchema);
  const { items, next } = await read({ limit, after });
  return { data: items.map(toWire), next_cursor: next ? toCursor(position, next) : null };
}

/** Rows of a list. */
interface Range {
  /** Number of the rows before them. */
  readonly offset: number;
  readonly limit: number;
}

const offsetSchema = z.tuple([z.int().min(0).max(MAX_INTEGER)]);

/** Divides a list into pages that is read by offsets. A row that moves meanwhile may be missing or come twice. */
export function listByOffset<Item>(
  read: (range: Range) => Promise<{ readonly items: readonly Item[]; readonly totalCount: number }>,
): PagedList<Item, z.infer<typeof offsetSchema>> {
  return {
    keySchema: offsetSchema,
    async read({ limit, after }) {
      const offset = Number(after?.[0] ?? 0);
      const { items, totalCount } = await read({ offset, limit });
      const end = offset + items.length;
      return { items, next: items.length > 0 && end < totalCount ? [end] : undefined };
    },
  };
}

/** A list with its filters. A cursor works only in the list that it comes from. */
interface ListPosition {
  /** Route of the list. */
  readonly list: string;
  /** Filters of the request, without `limit` and `cursor`. */
  readonly filters: JsonObject;
}

/** Encodes a place in a list. Clients must not interpret it. */
function toCursor(position: ListPosition, key: PageKey): string {
  return Buffer.from(JSON.stringify([fingerprint(position), ...key])).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param keySchema values of the place.
 * @throws HttpError 400 if it is damaged or belongs to another list or other filters.
 */
function readCursor<Key extends PageKey>(position: ListPosition, cursor: string, keySchema: z.ZodType<Key>): Key {
  const [mark, ...key] = parse(cursor);
  const checked = keySchema.safeParse(key);
  if (mark !== fingerprint(position) || !checked.success) {
    throw invalidRequest(
      "'cursor' must be the 'next_cursor' of an answer of this list with the same filters.",
      'cursor',
    );
  }
  return checked.data;
}

const FINGERPRINT_LENGTH = 10;

function fingerprint({ list, filters }: ListPosition): string {
  const named = Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([list, named]);
  return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

const partsSchema = z.array(z.union([z.string(), z.number()]));

function parse(cursor: string): readonly (string | number)[] {
  try {
    return partsSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return [];
  }
}
