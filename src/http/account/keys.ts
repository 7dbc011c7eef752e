import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ApiKey, MAX_OVERLAP_MS, SetByAdminError } from '../../core/accounts/index.ts';
import {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type BudgetChanges,
  findExcess,
  printScope,
} from '../../core/limits/index.ts';
import { wholeNumberSchema } from '../../protocols/fields/field-schemas.ts';
import { invalidRequest, notFound } from '../../protocols/http-error.ts';
import { insufficientPermissions } from '../management/authenticate-manager.ts';
import {
  createKeyBodySchemas,
  keyBudgetShape,
  type keySchema,
  requireChangeable,
  type secretSchema,
  toBudget,
  toKey,
  toPolicy,
} from '../management/users/key-fields.ts';
import { conflict } from '../resources/conflict.ts';
import { idSchema, readBody, readId } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { getUser } from './profile.ts';

const BUDGET_FIELDS = {
  usdPerDay: 'dollars_per_day',
  usdPerMonth: 'dollars_per_month',
  usdTotal: 'dollars_total',
} as const;

/** The budget of a key in an answer. null: no budget of its own. */
interface KeyBudget {
  readonly dollars_per_day: number | null;
  readonly dollars_per_month: number | null;
  readonly dollars_total: number | null;
}

type GivenBudget = z.infer<z.ZodObject<typeof keyBudgetShape>>;

export type Key = z.infer<typeof keySchema> & KeyBudget;
/** A key with its secret, which can't be read again. */
export type KeyWithSecret = z.infer<typeof secretSchema> & KeyBudget;
/** Active keys of the user, oldest first. */
export interface Keys {
  readonly data: readonly Key[];
  /** Maximum number of active keys. */
  readonly max_keys: number;
}

const rotationSchema = z.strictObject({ overlap_seconds: wholeNumberSchema(0, MAX_OVERLAP_MS / 1000) });

/**
 * Adds the API keys of the user. Those with the scope `manage` are made, rotated, paused and resumed in the chat only,
 * and their expiry can only be moved closer here: a stolen session must not prolong them.
 */
export function addOwnKeys(server: FastifyInstance, deps: HttpServices): void {
  const { apiKeys, budgets, clock } = deps;
  const find = async (userId: number, keyId: number) => requireKey(await apiKeys.find(userId, keyId));
  const toOwnKey = async (key: ApiKey, userId: number): Promise<Key> => ({
    ...toKey({ ...key, userId }),
    ...toKeyBudget(await budgets.readBudget(toKeyScope(key.id))),
  });
  server.get('/api/me/keys', async (request): Promise<Keys> => {
    const { userId } = getSession(request);
    const keys = await apiKeys.list(userId);
    const amounts = await budgets.readAllBudgets(keys.map(({ id }) => toKeyScope(id)));
    const data = keys.map((key) => ({ ...toKey({ ...key, userId }), ...toKeyBudget(amounts[toKeyScope(key.id)]) }));
    return { data, max_keys: apiKeys.maxKeys };
  });
  server.post('/api/me/keys', async (request, reply): Promise<KeyWithSecret> => {
    const { userId } = getSession(request);
    const schema = createKeyBodySchemas(clock.now()).newKeySchema.omit({ user: true });
    const { label, ...rules } = await readBody(schema, request);
    await checkKeyBudget(deps, rules, { userId });
    const created = await apiKeys.create(userId, label, { ...toPolicy(rules), budget: toBudget(rules) });
    if (!created) throw conflict('You have the maximum number of keys. Revoke one first.', 'label');
    reply.code(201);
    return { ...(await toOwnKey(created.key, userId)), secret: created.secret };
  });
  server.patch('/api/me/keys/:id', async (request): Promise<Key> => {
    const { userId } = getSession(request);
    const keyId = readId(idSchema, request);
    const key = await find(userId, keyId);
    const schema = createKeyBodySchemas(clock.now()).changesSchema.extend(keyBudgetShape);
    const { label, paused, ...rules } = await readBody(schema, request);
    if (paused !== undefined) requireChangeable(key);
    if (key.scope === 'manage' && prolongs(key, rules.expires_at)) throw insufficientPermissions(TOO_LATE);
    const budget = await checkKeyBudget(deps, rules, { userId, key });
    // First what an admin may have set: it is refused.
    if (paused === false) await apiKeys.resume(userId, keyId);
    await apiKeys.change(userId, keyId, toPolicy(rules));
    if (paused === true) await apiKeys.pause(userId, keyId);
    if (label !== undefined) await apiKeys.rename(userId, keyId, label);
    if (hasChanges(budget)) await budgets.setBudget(toKeyScope(keyId), budget);
    return toOwnKey(await find(userId, keyId), userId);
  });
  server.post('/api/me/keys/:id/rotate', async (request): Promise<KeyWithSecret> => {
    const { userId } = getSession(request);
    const keyId = readId(idSchema, request);
    requireChangeable(await find(userId, keyId));
    const { overlap_seconds: overlapSeconds } = await readBody(rotationSchema, request);
    const rotated = await apiKeys.rotate(userId, keyId, overlapSeconds * 1000);
    const key = requireKey(rotated?.key);
    return { ...(await toOwnKey(key, userId)), secret: rotated?.secret ?? '' };
  });
  server.delete('/api/me/keys/:id', async (request, reply) => {
    const { userId } = getSession(request);
    if (!(await apiKeys.revoke(userId, readId(idSchema, request)))) throw unknownKey();
    return reply.code(204).send();
  });
}

const TOO_LATE =
  'A key of the management API can only expire earlier than before. Create a new one in the chat with the bot.';

/** Returns whether a new expiry is later than that of the key. `null`: never. */
function prolongs({ policy }: ApiKey, expiresAt: Date | null | undefined): boolean {
  if (expiresAt === undefined) return false;
  return expiresAt === null || (policy.expiresAt !== undefined && expiresAt > policy.expiresAt);
}

function hasChanges(changes: object): boolean {
  return Object.keys(changes).length > 0;
}

function requireKey(key: ApiKey | undefined): ApiKey {
  if (!key) throw unknownKey();
  return key;
}

function unknownKey() {
  return notFound('You have no active API key with this id.');
}

function toKeyBudget({ usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts = {}): KeyBudget {
  return {
    dollars_per_day: usdPerDay ?? null,
    dollars_per_month: usdPerMonth ?? null,
    dollars_total: usdTotal ?? null,
  };
}

function toKeyScope(keyId: number) {
  return printScope({ kind: 'key', id: keyId });
}

/**
 * Returns what a body changes of the budget of a user's key. The budget of a key takes precedence over the plan, so the
 * plan must bound it, unless an admin has set more.
 * @param key undefined for a key that does not exist yet.
 * @throws HttpError 400 for more than the plan allows; SetByAdminError.
 */
async function checkKeyBudget(
  services: HttpServices,
  given: GivenBudget,
  { userId, key }: { readonly userId: number; readonly key?: ApiKey },
): Promise<BudgetChanges> {
  const stored = key ? await services.budgets.readBudget(toKeyScope(key.id)) : {};
  const names = BUDGET_PERIODS.map((period) => AMOUNT_FIELDS[period]).filter((name) => {
    const value = given[BUDGET_FIELDS[name]];
    return value !== undefined && value !== (stored[name] ?? null);
  });
  if (names.length === 0) return {};
  if (key?.adminRules.includes('budget')) throw new SetByAdminError(['budget']);
  const { plan } = await getUser(services, userId);
  const allowed = await services.limits.readKeyBudget({ userId, plan });
  const changes: BudgetChanges = Object.fromEntries(names.map((name) => [name, given[BUDGET_FIELDS[name]]]));
  const most = names.map((name) => [name, Math.max(allowed[name] ?? Number.POSITIVE_INFINITY, stored[name] ?? 0)]);
  const excess = findExcess(changes, Object.fromEntries(most));
  if (!excess) return changes;
  const field = BUDGET_FIELDS[AMOUNT_FIELDS[excess.period]];
  throw invalidRequest(`Your plan allows a key at most $${excess.mostUsd} here.`, field);
}
