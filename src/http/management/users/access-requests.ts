import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type AccessDecision, type AccessRequest, listUserPlans } from '../../../core/administration/index.ts';
import { notFound } from '../../../protocols/http-error.ts';
import { conflict } from '../../resources/conflict.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../../resources/fields.ts';
import { emptyQuerySchema, readBody, readId, readQuery, telegramIdSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';
import { planSchema, readPlan } from './user-plan.ts';

const DAY_MS = 86_400_000;
const MAX_DECIDED = 50;

const requestSchema = z
  .strictObject({
    telegram_id: z.int(),
    name: z.string().describe('Name and username as Telegram showed them when the account asked.'),
    state: z.enum(['open', 'allowed', 'ignored', 'blocked']),
    asked_at: timeFieldSchema,
    decided_by: z.int().nullable().describe('Telegram id of the admin; null: it is open.'),
    decided_by_name: z.string().nullable().describe('Note or name of the admin, if one is stored.'),
    decided_at: timeFieldSchema.nullable(),
  })
  .meta({ id: 'AccessRequest' });

/** A request for access as admins see it. */
export type AccessRequestAnswer = z.infer<typeof requestSchema>;

const listSchema = z.strictObject({
  data: z.array(requestSchema),
  plans: z.array(z.string()).describe('Plans that an account can be put on; the first one is the default.'),
});

/** Requests for access. */
export type AccessRequestsAnswer = z.infer<typeof listSchema>;

const DECISIONS = ['allow', 'ignore', 'block'] as const;
const decisionSchema = z
  .strictObject({
    decision: z
      .enum(DECISIONS, `must be one of ${DECISIONS.join(', ')}`)
      .describe('`block` bans the account; after `ignore` it may ask again in a day.'),
    plan: planSchema.optional().describe('With `allow`: plan of the user. Default: the default plan.'),
  })
  .refine(({ decision, plan }) => decision === 'allow' || plan === undefined, {
    message: 'goes with allow only',
    path: ['plan'],
  })
  .meta({ examples: [{ decision: 'allow', plan: 'trusted' }] });

const LIST = documentRoute({
  summary: 'List requests for access',
  description: 'Requests of accounts that a private service does not know. At most 100 are open at a time.',
  querystring: emptyQuerySchema,
  answer: ['Open requests, oldest first, then the last 50 decisions of a day, newest first.', listSchema],
  errors: [400],
});
const DECIDE = documentRoute({
  summary: 'Decide about a request for access',
  description: 'Applies at once, and is made once: a second decision gets 409. The account is told when it is allowed.',
  params: z.object({ id: z.string().describe('Telegram id of the account.') }),
  body: decisionSchema,
  answer: ['The request.', requestSchema],
  errors: [400, 404, 409, 413, 415],
});

/** Adds the routes of requests for access. */
export function addAccessRequests(server: FastifyInstance, services: HttpServices): void {
  const { accessRequests, clock, limits, logger, management } = services;
  const toAnswers = async (requests: readonly AccessRequest[]) => {
    const names = await management.findNames(requests.flatMap(({ decidedBy = [] }) => decidedBy));
    return requests.map((request) => toAnswer(request, names));
  };
  server.get('/api/access-requests', { schema: LIST }, async (request): Promise<AccessRequestsAnswer> => {
    readQuery(emptyQuerySchema, request);
    const since = new Date(clock.now() - DAY_MS);
    const requests = [await accessRequests.listOpen(), await accessRequests.listDecided(since, MAX_DECIDED)].flat();
    return { data: await toAnswers(requests), plans: [...listUserPlans(limits.planNames)] };
  });
  server.post('/api/access-requests/:id/decide', { schema: DECIDE }, async (request): Promise<AccessRequestAnswer> => {
    const telegramId = readId(telegramIdSchema, request);
    const { decision: kind, plan: wanted } = await readBody(decisionSchema, request);
    const plan = readPlan(limits, wanted);
    const decision: AccessDecision = kind === 'allow' ? { kind, plan } : { kind };
    const { telegramId: adminTelegramId, keyId, userId: adminId } = getManager(request);
    const outcome = await accessRequests.decide({ adminTelegramId, keyId, telegramId, decision });
    if (outcome === 'admin') throw conflict('The account is an admin by now.');
    const decided = await accessRequests.find(telegramId);
    const [answer] = await toAnswers(decided ? [decided] : []);
    if (outcome === 'gone' || !answer) throw notFound('There is no such request. It may have lapsed.');
    if (outcome !== 'decided')
      throw conflict(`It was ${answer.state} before, by ${answer.decided_by_name ?? answer.decided_by}.`, 'decision');
    logger.info({ adminId, telegramId, decision: kind }, 'request for access decided');
    return answer;
  });
}

function toAnswer(request: AccessRequest, names: ReadonlyMap<number, string>): AccessRequestAnswer {
  const { telegramId, name, state, askedAt, decidedBy, decidedAt } = request;
  return {
    telegram_id: telegramId,
    name,
    state,
    asked_at: toTime(askedAt),
    decided_by: decidedBy ?? null,
    decided_by_name: names.get(decidedBy ?? 0) ?? null,
    decided_at: decidedAt ? toTime(decidedAt) : null,
  };
}
