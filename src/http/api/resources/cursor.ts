import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PageKey } from '../../../core/management/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidRequest } from '../../http-error.ts';

/** Length above which a cursor can't be one of ours. */
export const MAX_CURSOR_LENGTH = 1000;
const FINGERPRINT_LENGTH = 10;

/** A list with its filters. A cursor works only in the list that it comes from. */
export interface ListPosition {
  /** Route of the list. */
  readonly list: string;
  /** Filters of the request, without `limit` and `cursor`. */
  readonly filters: JsonObject;
}

/** Encodes a place in a list. Clients must not interpret it. */
export function toCursor(position: ListPosition, key: PageKey): string {
  return Buffer.from(JSON.stringify([fingerprint(position), ...key])).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param keySchema values of the place.
 * @throws HttpError 400 if it is damaged or belongs to another list or other filters.
 */
export function readCursor<Key extends PageKey>(
  position: ListPosition,
  cursor: string,
  keySchema: z.ZodType<Key>,
): Key {
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

const partsSchema = z.array(z.union([z.string(), z.number()]));

function parse(cursor: string): readonly (string | number)[] {
  try {
    return partsSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return [];
  }
}
