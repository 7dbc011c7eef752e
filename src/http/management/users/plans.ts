import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { NamedPlan } from '../../../core/management/index.ts';
import { toTaskLimits } from '../../../core/tasks/index.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { emptyQuerySchema, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const limit = z.number().nullable();
const limitsSchema = z
  .strictObject({
    requests_per_minute: limit,
    tokens_per_day: limit,
    images_per_day: limit,
    at_once: limit,
    dollars_per_day: limit,
    dollars_per_month: limit,
    dollars_total: limit,
  })
  .nullable()
  .describe('null: no limits. A limit that is null does not exist.');
const planSchema = z
  .strictObject({
    name: z.string(),
    user: limitsSchema,
    key: limitsSchema,
    chat: limitsSchema,
    address: limitsSchema,
    allows_unpriced_models: z.boolean().describe('Whether models without a known price may be used under a budget.'),
    raise_by_dollars: z.array(z.number()).describe('Amounts by which owners may raise their own budgets.'),
    tasks: z
      .strictObject({ active: z.number(), shortest_interval_minutes: z.number() })
      .describe('Bounds of the tasks and reminders of a user.'),
  })
  .meta({ id: 'Plan' });

/** A plan in force. */
export type Plan = z.infer<typeof planSchema>;

const LIST = documentRoute({
  summary: 'List plans',
  description: 'The plans of the providers file, and those that admins have stored (`/api/settings`).',
  querystring: emptyQuerySchema,
  answer: ['Plans by name.', z.strictObject({ data: z.array(planSchema) })],
  errors: [400],
});

/** Adds `GET /api/plans`. */
export function addPlans(server: FastifyInstance, { management }: HttpServices): void {
  server.get('/api/plans', { schema: LIST }, async (request) => {
    readQuery(emptyQuerySchema, request);
    return { data: management.listPlans().map(toPlan) };
  });
}

function toPlan({ name, user, key, chat, address, ...plan }: NamedPlan): Plan {
  const { active, shortestIntervalMs } = toTaskLimits(plan.tasks);
  return {
    name,
    user: toLimits(user),
    key: toLimits(key),
    chat: toLimits(chat),
    address: toLimits(address),
    allows_unpriced_models: plan.allowsUnpricedModels ?? false,
    raise_by_dollars: [...(plan.raiseByUsd ?? [])],
    tasks: { active, shortest_interval_minutes: shortestIntervalMs / 60_000 },
  };
}

function toLimits(limits: NamedPlan['user']): z.infer<typeof limitsSchema> {
  if (!limits) return null;
  return {
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_day: limits.tokensPerDay ?? null,
    images_per_day: limits.imagesPerDay ?? null,
    at_once: limits.atOnce ?? null,
    dollars_per_day: limits.usdPerDay ?? null,
    dollars_per_month: limits.usdPerMonth ?? null,
    dollars_total: limits.usdTotal ?? null,
  };
}
