import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Page, PageKey, PageRequest } from '../../core/management/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkFields } from '../api/fields/check-fields.ts';
import { pageLimitSchema } from '../api/fields/field-schemas.ts';
import { invalidRequest } from '../server/http-error.ts';
import { parseJsonBody } from '../server/json-body.ts';

/** Length above which a cursor can't be one of ours. */
const MAX_CURSOR_LENGTH = 1000;

const FINGERPRINT_LENGTH = 10;

/** A list with its filters. A cursor works only in the list that it comes from. */
interface ListPosition {
  /** Route of the list. */
  readonly list: string;
  /** Filters of the request, without `limit` and `cursor`. */
  readonly filters: JsonObject;
}

const partsSchema = z.array(z.union([z.string(), z.number()]));

const MAX_PAGE_ITEMS = 100;
/** Maximum of Postgres's `integer`. */
export const MAX_INTEGER = 2_147_483_647;

/** Query parameters of every list. */
export const pageShape = {
  limit: pageLimitSchema(MAX_PAGE_ITEMS).describe('Entries in the answer, 1 to 100. Default 20.'),
  cursor: z
    .string('must be given once')
    .max(MAX_CURSOR_LENGTH, 'is too long')
    .optional()
    .describe('`next_cursor` of the page before. Default: from the beginning.'),
};

/** Query of routes without parameters. */
export const emptyQuerySchema = z.strictObject({});

/** Creates the schema of a text in a query or a body. Postgres can't store U+0000. */
export function textSchema(maxLength: number) {
  return z
    .string('must be a text, given once')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((text) => !text.includes('\u0000') && text.isWellFormed(), 'must be Unicode text without U+0000');
}

const MAX_SEARCH_LENGTH = 200;

/** Schema of the text that a list is searched for. */
export const searchSchema = textSchema(MAX_SEARCH_LENGTH);

/** Creates the schema of a whole number in a path or a query. */
function numberTextSchema(pattern: RegExp, max: number) {
  const problem = 'must be an id, a whole number';
  return z
    .string(problem)
    .regex(pattern, problem)
    .transform(Number)
    .refine((id) => Math.abs(id) <= max, problem);
}

/** An id of the database in a path or a query. */
export const idSchema = numberTextSchema(/^[1-9]\d{0,9}$/, MAX_INTEGER);
/** A Telegram id of a user in a path or a query. */
export const telegramIdSchema = numberTextSchema(/^[1-9]\d{0,15}$/, Number.MAX_SAFE_INTEGER);
/** A Telegram id of a user or a group in a path or a query. Those of groups are negative. */
export const telegramChatIdSchema = numberTextSchema(/^-?[1-9]\d{0,15}$/, Number.MAX_SAFE_INTEGER);
/** Place in a list by an id of the database, for cursors. */
export const idPlaceSchema = z.tuple([z.int().min(0).max(MAX_INTEGER)]);
/** `true` or `false` in a query. */
export const flagSchema = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text): boolean => text === 'true');

const EARLIEST_MS = Date.UTC(2000, 0);
const LATEST_MS = Date.UTC(2100, 0);

const timeProblem = 'must be a time in the years 2000 to 2099, such as 2026-11-23T09:30:00Z';

/** A time in a query, with its offset. */
export const timeSchema = z.iso
  .datetime({ offset: true, error: timeProblem })
  .meta({ pattern: String.raw`^20\d\d-` })
  .transform((text) => new Date(text))
  .refine((time) => time.getTime() >= EARLIEST_MS && time.getTime() < LATEST_MS, timeProblem);

/** An IANA name, which begins with a letter. Postgres reads the sign of bare offsets the other way. */
export const timeZoneSchema = z
  .string('must be an IANA time zone, given once')
  .max(64, 'is too long')
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin');

function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Reads the query of a request.
 * @throws HttpError 400 that names the first invalid or unknown parameter.
 */
export function readQuery<Output>(schema: z.ZodType<Output>, request: FastifyRequest): Output {
  // Fastify's parser creates an object without a prototype.
  return checkFields(schema, { ...(request.query as JsonObject) });
}

/** Maximum number of values in a body. */
const MAX_BODY_VALUES = 1000;

/**
 * Reads the JSON body of a request.
 * @throws HttpError 400 that names the first invalid or unknown field.
 */
export async function readBody<Output>(schema: z.ZodType<Output>, request: FastifyRequest): Promise<Output> {
  return checkFields(schema, await parseJsonBody(request.body, MAX_BODY_VALUES));
}

/** Reads `:id` of a path. @throws HttpError 400 */
export function readId<Output>(schema: z.ZodType<Output>, request: FastifyRequest): Output {
  return checkFields(schema, (request.params as JsonObject)['id'], 'id');
}

/** A list in pages. */
interface PagedList<Item, Key extends PageKey> {
  /** Values of the place of an item. */
  readonly keySchema: z.ZodType<Key>;
  readonly read: (page: PageRequest) => Promise<Page<Item>>;
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

/** Creates the schema of a page. */
export function pageSchema(item: z.ZodType) {
  return z.strictObject({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null if this is the last one.'),
  });
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

function fingerprint({ list, filters }: ListPosition): string {
  const named = Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([list, named]);
  return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

function parse(cursor: string): readonly (string | number)[] {
  try {
    return partsSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return [];
  }
}
