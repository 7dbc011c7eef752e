import { z } from 'zod';
import { type AdminRule, createKeyPolicySchemas, type KeyPolicy } from '../../../core/accounts/index.ts';
import type { BudgetAmounts } from '../../../core/limits/index.ts';
import type { ManagedKey } from '../../../core/management/index.ts';
import { dollarsSchema } from '../../../lib/dollars.ts';
import { timeFieldSchema, toTime } from '../../resources/fields.ts';
import { MAX_INTEGER, textSchema } from '../../resources/query.ts';
import { insufficientPermissions } from '../authenticate-manager.ts';

const MAX_LABEL_LENGTH = 64;

/** Names of the rules in answers. */
const RULE_NAMES = {
  expiresAt: 'expires_at',
  allowedModels: 'allowed_models',
  requestsPerMinute: 'requests_per_minute',
  tokensPerDay: 'tokens_per_day',
  atOnce: 'at_once',
  pause: 'paused',
  budget: 'budget',
} as const satisfies Record<AdminRule, string>;

/** An API key in an answer. */
export const keySchema = z
  .strictObject({
    id: z.int(),
    user: z.int(),
    user_name: z
      .string()
      .nullable()
      .describe('What admins call the owner; null without a note or a stored name. Not part of the `ETag`.'),
    label: z.string(),
    prefix: z.string().describe('First characters of the secret, for recognition.'),
    scope: z.enum(['use', 'manage']),
    note: z.string().nullable(),
    expires_at: timeFieldSchema.nullable(),
    allowed_models: z.array(z.string()).nullable().describe('null: all models.'),
    requests_per_minute: z.int().nullable(),
    tokens_per_day: z.int().nullable(),
    at_once: z.int().nullable(),
    paused_at: timeFieldSchema.nullable(),
    set_by_admin: z
      .array(z.enum(Object.values(RULE_NAMES)))
      .describe('What an admin has set, and the owner can not change.'),
    previous_secret_expires_at: timeFieldSchema
      .nullable()
      .describe('Time until which the secret before the last rotation works; may be past.'),
    created_at: timeFieldSchema,
    last_used: z
      .strictObject({ at: timeFieldSchema, route: z.string(), network: z.string() })
      .nullable()
      .describe('Last use; not part of the `ETag`.'),
  })
  .meta({ id: 'ManagedKey' });
export type KeyAnswer = z.infer<typeof keySchema>;
export const secretSchema = keySchema
  .extend({ secret: z.string().describe('The key itself. It can not be read again.') })
  .meta({ id: 'ManagedKeyWithSecret' });

const limit = dollarsSchema.nullable().optional();
/** The budget of a key in a body. null: none of its own. */
export const keyBudgetShape = {
  dollars_per_day: limit.describe('Budget of the key per UTC day, with at most 9 decimals; null or missing: none.'),
  dollars_per_month: limit.describe('Budget per month likewise.'),
  dollars_total: limit.describe('Budget in total likewise.'),
};

/** Returns the schemas of bodies at a moment. */
export function createKeyBodySchemas(nowMs: number) {
  const rules = createKeyPolicySchemas(nowMs);
  const expiresAt = z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-23T09:30:00Z' })
    .transform((text) => new Date(text))
    .pipe(rules.expiresAt);
  const shape = {
    note: rules.note.nullable().optional().describe('Text for the owner; null removes it.'),
    expires_at: expiresAt.nullable().optional().describe('Time from which the key is refused; null: never.'),
    allowed_models: rules.allowedModels
      .nullable()
      .optional()
      .describe('Names of models, `*` stands for any characters; null: all models.'),
    requests_per_minute: rules.requestsPerMinute.nullable().optional().describe('Limit of this key; null: none.'),
    tokens_per_day: rules.tokensPerDay.nullable().optional().describe('Limit of this key; null: none.'),
    at_once: rules.atOnce.nullable().optional().describe('Requests in flight; null: no limit of its own.'),
  };
  const label = textSchema(MAX_LABEL_LENGTH)
    .trim()
    .min(1, 'must not be empty')
    .describe(`Name of the key, up to ${MAX_LABEL_LENGTH} characters.`);
  const idProblem = 'must be the id of a user';
  return {
    newKeySchema: z
      .strictObject({
        user: z.int(idProblem).min(1, idProblem).max(MAX_INTEGER, idProblem).describe('Id of the owner.'),
        label,
        ...shape,
        ...keyBudgetShape,
      })
      .meta({ examples: [{ user: 1, label: 'laptop', allowed_models: ['gpt-*'], dollars_per_month: 5 }] }),
    changesSchema: z
      .strictObject({
        label: label.optional(),
        paused: z.boolean('must be true or false').optional().describe('`true` pauses the key, `false` resumes it.'),
        ...shape,
      })
      .meta({ examples: [{ paused: true }] }),
  };
}

interface Rules {
  readonly note?: string | null | undefined;
  readonly expires_at?: Date | null | undefined;
  readonly allowed_models?: readonly string[] | null | undefined;
  readonly requests_per_minute?: number | null | undefined;
  readonly tokens_per_day?: number | null | undefined;
  readonly at_once?: number | null | undefined;
}

/** Converts the fields that were sent; null removes a rule. */
export function toPolicy(rules: Rules): Partial<KeyPolicy> {
  const { note, expires_at, allowed_models, requests_per_minute, tokens_per_day, at_once } = rules;
  return {
    ...(note === undefined ? {} : { note: note ?? undefined }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at ?? undefined }),
    ...(allowed_models === undefined ? {} : { allowedModels: allowed_models ?? undefined }),
    ...(requests_per_minute === undefined ? {} : { requestsPerMinute: requests_per_minute ?? undefined }),
    ...(tokens_per_day === undefined ? {} : { tokensPerDay: tokens_per_day ?? undefined }),
    ...(at_once === undefined ? {} : { atOnce: at_once ?? undefined }),
  };
}

/** Returns the budget of a new key. */
export function toBudget(given: z.infer<z.ZodObject<typeof keyBudgetShape>>): BudgetAmounts {
  return {
    usdPerDay: given.dollars_per_day ?? undefined,
    usdPerMonth: given.dollars_per_month ?? undefined,
    usdTotal: given.dollars_total ?? undefined,
  };
}

export function toKey(key: ManagedKey): KeyAnswer {
  const { policy, lastUse } = key;
  const toOptionalTime = (time: Date | undefined) => (time ? toTime(time) : null);
  return {
    id: key.id,
    user: key.userId,
    user_name: key.userName ?? null,
    label: key.label,
    prefix: key.prefix,
    scope: key.scope,
    note: policy.note ?? null,
    expires_at: toOptionalTime(policy.expiresAt),
    allowed_models: policy.allowedModels ? [...policy.allowedModels] : null,
    requests_per_minute: policy.requestsPerMinute ?? null,
    tokens_per_day: policy.tokensPerDay ?? null,
    at_once: policy.atOnce ?? null,
    paused_at: toOptionalTime(key.pausedAt),
    set_by_admin: key.adminRules.map((rule) => RULE_NAMES[rule]),
    previous_secret_expires_at: toOptionalTime(key.previousExpiresAt),
    created_at: toTime(key.createdAt),
    last_used: lastUse ? { at: toTime(lastUse.at), route: lastUse.route, network: lastUse.network } : null,
  };
}

/** Returns what counts as a change of a key: not its last use. */
export function toContent(key: ManagedKey): object {
  return { ...toKey(key), user_name: null, last_used: null };
}

/** @throws HttpError 403 for a key of the management API. */
export function requireChangeable({ scope }: Pick<ManagedKey, 'scope'>): void {
  if (scope !== 'manage') return;
  throw insufficientPermissions(
    'Keys of the management API are changed in the chat with the bot. Here they can only be revoked.',
  );
}
