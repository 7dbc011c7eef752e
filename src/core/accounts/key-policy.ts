import { z } from 'zod';
import type { apiKeys } from '../../database/schema/index.ts';

/** Rules that the owner or an admin sets for an API key. A missing rule is undefined. */
export interface KeyPolicy {
  /** Text of the owner. */
  readonly note: string | undefined;
  /** Time from which the key is refused. */
  readonly expiresAt: Date | undefined;
  /** Patterns of the models that the key may use; undefined: all. */
  readonly allowedModels: readonly string[] | undefined;
  /** Limits of this key. Limits of the owner's plan apply as well. */
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerDay: number | undefined;
  readonly atOnce: number | undefined;
}

/** `manage`: also accepted by the management API while the owner is an admin. */
export type KeyScope = 'use' | 'manage';

const MAX_NOTE_LENGTH = 500;
const MAX_PATTERNS = 50;
const MAX_PATTERN_LENGTH = 200;
/** Bounds the time to match one. */
const MAX_WILDCARDS = 5;
const MAX_REQUESTS_PER_MINUTE = 1_000_000;
const MAX_TOKENS_PER_DAY = 1_000_000_000_000;
const MAX_AT_ONCE = 10_000;
/** Latest expiry, in milliseconds from now. */
const MAX_LIFETIME_MS = 10 * 366 * 86_400_000;

const PATTERN_PROBLEM = `must be a list of at most ${MAX_PATTERNS} names of models, each of 1 to ${MAX_PATTERN_LENGTH} characters with at most ${MAX_WILDCARDS} *`;
const EXPIRY_PROBLEM = 'must be a time in the future, within ten years';

/** Returns schemas of the rules at a moment. Messages complete a sentence that begins with the field's name. */
export function createKeyPolicySchemas(nowMs: number) {
  return {
    note: z
      .string('must be a text')
      .trim()
      .min(1, 'must not be empty')
      .max(MAX_NOTE_LENGTH, `must have at most ${MAX_NOTE_LENGTH} characters`)
      .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'must be a text'),
    expiresAt: z
      .date(EXPIRY_PROBLEM)
      .min(new Date(nowMs + 1), EXPIRY_PROBLEM)
      .max(new Date(nowMs + MAX_LIFETIME_MS), EXPIRY_PROBLEM),
    allowedModels: z.array(patternSchema, PATTERN_PROBLEM).min(1, PATTERN_PROBLEM).max(MAX_PATTERNS, PATTERN_PROBLEM),
    requestsPerMinute: countUpTo(MAX_REQUESTS_PER_MINUTE),
    tokensPerDay: countUpTo(MAX_TOKENS_PER_DAY),
    atOnce: countUpTo(MAX_AT_ONCE),
  };
}

const patternSchema = z
  .string(PATTERN_PROBLEM)
  .trim()
  .max(MAX_PATTERN_LENGTH, PATTERN_PROBLEM)
  .refine((name) => /^\P{C}+$/u.test(name), PATTERN_PROBLEM)
  .refine((pattern) => pattern.split('*').length <= MAX_WILDCARDS + 1, PATTERN_PROBLEM);

function countUpTo(max: number) {
  const problem = `must be a whole number from 1 to ${max}`;
  return z.int(problem).min(1, problem).max(max, problem);
}

type PolicyRow = Pick<
  typeof apiKeys.$inferSelect,
  'note' | 'expiresAt' | 'allowedModels' | 'requestsPerMinute' | 'tokensPerDay' | 'atOnce'
>;

export function toKeyPolicy(row: PolicyRow): KeyPolicy {
  return {
    note: row.note ?? undefined,
    expiresAt: row.expiresAt ?? undefined,
    allowedModels: row.allowedModels ?? undefined,
    requestsPerMinute: row.requestsPerMinute ?? undefined,
    tokensPerDay: row.tokensPerDay ?? undefined,
    atOnce: row.atOnce ?? undefined,
  };
}

/** Returns the columns to write. A field that is present with `undefined` is reset; a missing one stays. */
export function toPolicyColumns(changes: Partial<KeyPolicy>): Partial<PolicyRow> {
  const set = <Field extends keyof KeyPolicy>(field: Field) =>
    Object.hasOwn(changes, field) ? { [field]: changes[field] ?? null } : {};
  return {
    ...set('note'),
    ...set('expiresAt'),
    ...set('allowedModels'),
    ...set('requestsPerMinute'),
    ...set('tokensPerDay'),
    ...set('atOnce'),
  };
}
