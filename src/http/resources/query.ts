import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields } from '../../protocols/fields/check-fields.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';

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

/** Query of routes without parameters. */
export const emptyQuerySchema = z.strictObject({});

/** Maximum of Postgres's `integer`. */
export const MAX_INTEGER = 2_147_483_647;

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
