import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ManagedUser, PageRequest } from '../../../core/management/index.ts';
import { invalidRequest, notFound } from '../../../protocols/http-error.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { requireMatch, tagged } from '../../resources/entity-tag.ts';
import { timeFieldSchema, toTime } from '../../resources/fields.ts';
import { idPlaceSchema, pageSchema, pageShape, sendPage } from '../../resources/paged-list.ts';
import {
  flagSchema,
  idSchema,
  readBody,
  readId,
  readQuery,
  telegramIdSchema,
  textSchema,
} from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';

const MAX_PLAN_LENGTH = 32;

const userSchema = z
  .strictObject({
    id: z.int(),
    telegram_id: z.int().nullable(),
    role: z.enum(['user', 'admin']),
    plan: z.string().describe('The plan that applies.'),
    assigned_plan: z.string().nullable().describe('The plan set by an admin; null: the default plan.'),
    banned: z.boolean(),
    admitted: z.boolean().describe('Whether the user may use the service.'),
    reachable: z.boolean().describe('False if the bot can not write to the user, as far as known.'),
    created_at: timeFieldSchema,
  })
  .meta({ id: 'ManagedUser' });

/** A user as admins see them. */
export type UserAnswer = z.infer<typeof userSchema>;

const querySchema = z.strictObject({
  ...pageShape,
  plan: textSchema(MAX_PLAN_LENGTH).optional().describe('The plan that applies.'),
  role: z.enum(['user', 'admin'], "must be 'user' or 'admin'").optional().describe('The role now.'),
  banned: flagSchema.optional().describe('Whether the user is banned.'),
  telegram_id: telegramIdSchema.optional().describe('The Telegram id.'),
});

const idParams = z.object({ id: z.string().describe('Id of the user.') });
const LIST = documentRoute({
  summary: 'List users',
  querystring: querySchema,
  answer: ['Users by id.', pageSchema(userSchema)],
  errors: [400],
});
const ONE = documentRoute({
  summary: 'Get a user',
  params: idParams,
  answer: ['The user.', userSchema],
  errors: [400, 404],
});

const changesSchema = z
  .strictObject({
    plan: textSchema(MAX_PLAN_LENGTH).nullable().describe('Name of a plan; null: the default plan of the user.'),
  })
  .meta({ examples: [{ plan: 'trusted' }] });
const CHANGE = documentRoute({
  summary: 'Put a user on a plan',
  description: 'Applies within a second.',
  params: idParams,
  body: changesSchema,
  isConditional: true,
  answer: ['The user.', userSchema],
  errors: [400, 404, 412, 413, 415],
});

/** Adds the routes of users. */
export function addUsers(server: FastifyInstance, { management }: HttpServices): void {
  server.get('/api/users', { schema: LIST }, (request) => {
    const { plan, role, banned: isBanned, telegram_id: telegramId, ...page } = readQuery(querySchema, request);
    const filter = { plan, role, isBanned, telegramId };
    const list = { keySchema: idPlaceSchema, read: (part: PageRequest) => management.listUsers(filter, part) };
    return sendPage(request, page, list, toUser);
  });
  server.get('/api/users/:id', { schema: ONE }, async (request, reply) => {
    const user = await management.findUser(readId(idSchema, request));
    if (!user) throw notFound('There is no user with this id.');
    return tagged(reply, toUser(user));
  });
  server.patch('/api/users/:id', { schema: CHANGE }, async (request, reply) => {
    const userId = readId(idSchema, request);
    const { plan } = await readBody(changesSchema, request);
    const names = management.listPlans().map(({ name }) => name);
    if (plan !== null && !names.includes(plan))
      throw invalidRequest(`'plan' must be one of ${names.join(', ')}, or null.`, 'plan');
    const check = (current: ManagedUser) => requireMatch(request, toUser(current));
    const user = await management.changePlan({ manager: getManager(request), check, userId }, plan ?? undefined);
    if (!user) throw notFound('There is no user with this id.');
    return tagged(reply, toUser(user));
  });
}

function toUser(user: ManagedUser): UserAnswer {
  return {
    id: user.id,
    telegram_id: user.telegramId ?? null,
    role: user.role,
    plan: user.plan,
    assigned_plan: user.assignedPlan ?? null,
    banned: user.isBanned,
    admitted: user.isAdmitted,
    reachable: user.isReachable,
    created_at: toTime(user.createdAt),
  };
}
