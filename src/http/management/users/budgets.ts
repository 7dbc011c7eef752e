import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BUDGET_PERIODS, parseScope } from '../../../core/limits/index.ts';
import type { ManagedBudget } from '../../../core/management/index.ts';
import { dollarsSchema } from '../../../lib/dollars.ts';
import { notFound } from '../../../protocols/http-error.ts';
import { conflict } from '../../resources/conflict.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { requireMatch, tagged } from '../../resources/entity-tag.ts';
import { pageSchema, pageShape, sendPage } from '../../resources/paged-list.ts';
import { MAX_INTEGER, readBody, readId, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';
import { toCurrentScope } from '../former-words.ts';

const scopeProblem = "must be 'user:<user id>', 'key:<key id>', 'chat:<telegram id>' or 'instance'";
const scopeSchema = z
  .string(scopeProblem)
  .transform(toCurrentScope)
  .refine((name) => {
    const scope = parseScope(name);
    if (scope?.kind !== 'user' && scope?.kind !== 'key') return scope !== undefined;
    return scope.id > 0 && scope.id <= MAX_INTEGER;
  }, scopeProblem);

const amount = z.number().nullable();
const amountsShape = { dollars_per_day: amount, dollars_per_month: amount, dollars_total: amount };
const budgetSchema = z
  .strictObject({
    scope: z.string(),
    name: z.string().nullable().describe('What admins call the user, or the owner of the key. Not part of the `ETag`.'),
    ...amountsShape,
    plan: z
      .string()
      .nullable()
      .describe(
        'Plan of the user, the owner of the key, or the group; null for the instance, and for groups whose users pay.',
      ),
    configured: z.strictObject(amountsShape).describe('Amounts of the plan, or of the providers file for `instance`.'),
    effective: z
      .strictObject(amountsShape)
      .describe('Amounts that apply: those that are set, else those of `configured`. null: no limit.'),
    spent: z
      .strictObject({ day: z.number(), month: z.number(), total: z.number() })
      .describe(
        'US dollars. Days and months are in UTC. `total` begins with the first budget. Not part of the `ETag`.',
      ),
  })
  .meta({
    id: 'Budget',
    description: 'US dollars. The amounts beside `scope` are those that were set for it; null: not set.',
  });

/** Limits that are set for a scope, and the amounts that it has spent. */
export type BudgetAnswer = z.infer<typeof budgetSchema>;

const limit = dollarsSchema.nullable().optional();
const amountsSchema = z
  .strictObject({
    dollars_per_day: limit.describe('US dollars per UTC day, with at most 9 decimals; null or missing: not set here.'),
    dollars_per_month: limit.describe('US dollars per month, with at most 9 decimals; null or missing: not set here.'),
    dollars_total: limit.describe('US dollars in total, with at most 9 decimals; null or missing: not set here.'),
  })
  .meta({ examples: [{ dollars_per_day: 1, dollars_per_month: 20 }] });
const raiseSchema = z
  .strictObject({
    period: z
      .enum(BUDGET_PERIODS, `must be one of ${BUDGET_PERIODS.join(', ')}`)
      .describe('`day`, `month` or `total`.'),
    by_dollars: dollarsSchema.positive('must be more than 0').describe('US dollars to add, with at most 9 decimals.'),
  })
  .meta({ examples: [{ period: 'month', by_dollars: 5 }] });

const params = z.object({ id: z.string().describe('`user:5`, `key:12`, `chat:-1001234567890` or `instance`.') });
const querySchema = z.strictObject(pageShape);
const LIST = documentRoute({
  summary: 'List budgets',
  description: 'The budgets that were set for single users, keys and chats and for the instance, not those of plans.',
  querystring: querySchema,
  answer: ['Budgets by scope.', pageSchema(budgetSchema)],
  errors: [400],
});
const ONE = documentRoute({
  summary: 'Get a budget',
  params,
  answer: ['What is set for the scope, and what it has spent.', budgetSchema],
  errors: [400, 404],
});
const SET = documentRoute({
  summary: 'Set a budget',
  description: 'Replaces all three amounts. Applies in all processes within a second.',
  params,
  body: amountsSchema,
  isConditional: true,
  answer: ['The budget.', budgetSchema],
  errors: [400, 404, 412, 413, 415],
});
const RAISE = documentRoute({
  summary: 'Raise a budget',
  description:
    'Adds to the amount that applies. If it comes from the plan or the providers file, the sum is set for the scope. Concurrent raises add up.',
  params,
  body: raiseSchema,
  isConditional: true,
  answer: ['The budget.', budgetSchema],
  errors: [400, 404, 409, 412, 413, 415],
});
const REMOVE = documentRoute({
  summary: 'Remove a budget',
  description: 'The budget of the plan or of the settings applies again, if there is one.',
  params,
  isConditional: true,
  status: 204,
  answer: ['Nothing is set for the scope any more.'],
  errors: [400, 404, 412],
});

/** Adds the routes of budgets. */
export function addBudgets(server: FastifyInstance, { management: { budgets } }: HttpServices): void {
  const toChangeOptions = (request: FastifyRequest) => ({
    manager: getManager(request),
    scope: readId(scopeSchema, request),
    check: (current: ManagedBudget) => requireMatch(request, toContent(current)),
  });
  server.get('/api/budgets', { schema: LIST }, (request) => {
    const page = readQuery(querySchema, request);
    return sendPage(request, page, { keySchema: z.tuple([scopeSchema]), read: budgets.list }, toBudget);
  });
  server.get('/api/budgets/:id', { schema: ONE }, async (request, reply) => {
    const budget = await budgets.find(readId(scopeSchema, request));
    if (!budget) throw unknownScope();
    return tagged(reply, toBudget(budget), toContent(budget));
  });
  server.put('/api/budgets/:id', { schema: SET }, async (request, reply) => {
    const options = toChangeOptions(request);
    const given = await readBody(amountsSchema, request);
    const budget = await budgets.set(options, {
      usdPerDay: given.dollars_per_day ?? undefined,
      usdPerMonth: given.dollars_per_month ?? undefined,
      usdTotal: given.dollars_total ?? undefined,
    });
    if (!budget) throw unknownScope();
    return tagged(reply, toBudget(budget), toContent(budget));
  });
  server.post('/api/budgets/:id/raise', { schema: RAISE }, async (request, reply) => {
    const options = toChangeOptions(request);
    const { period, by_dollars: byUsd } = await readBody(raiseSchema, request);
    const budget = await budgets.raise(options, { period, byUsd });
    if (!budget) throw unknownScope();
    if (budget === 'unlimited') throw conflict('No amount limits this period. Set one first.', 'period');
    return tagged(reply, toBudget(budget), toContent(budget));
  });
  server.delete('/api/budgets/:id', { schema: REMOVE }, async (request, reply) => {
    if (!(await budgets.set(toChangeOptions(request), {}))) throw unknownScope();
    return reply.code(204).send();
  });
}

function unknownScope() {
  return notFound('There is no user or key with this id.');
}

function toBudget(budget: ManagedBudget): BudgetAnswer {
  const { scope, amounts, plan = null, configured, effective, spent } = budget;
  return {
    scope,
    name: budget.name ?? null,
    ...toAmounts(amounts),
    plan,
    configured: toAmounts(configured),
    effective: toAmounts(effective),
    spent: { day: spent.dayUsd, month: spent.monthUsd, total: spent.totalUsd },
  };
}

function toAmounts({ usdPerDay, usdPerMonth, usdTotal }: ManagedBudget['amounts']) {
  return {
    dollars_per_day: usdPerDay ?? null,
    dollars_per_month: usdPerMonth ?? null,
    dollars_total: usdTotal ?? null,
  };
}

/** Returns what counts as a change of a budget: not what is spent. */
function toContent(budget: ManagedBudget): object {
  return { ...toBudget(budget), name: null, spent: null };
}
