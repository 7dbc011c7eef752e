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
  searchSchema,
  telegramIdSchema,
  textSchema,
} from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';
import { planSchema } from './user-plan.ts';

const MAX_NOTE_LENGTH = 100;

const userSchema = z
  .strictObject({
    id: z.int(),
    telegram_id: z.int().nullable(),
    note: z.string().nullable().describe('Text of the admins about the user.'),
    name: z.string().nullable().describe('Name as Telegram last showed it; null unless `STORE_NAMES` is set.'),
    username: z.string().nullable().describe('Username as Telegram last showed it, without `@`; null as for `name`.'),
    universal_key: z.boolean().describe('Whether this is the owner of the universal key, which belongs to no user.'),
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
  plan: planSchema.optional().describe('The plan that applies.'),
  role: z.enum(['user', 'admin'], "must be 'user' or 'admin'").optional().describe('The role now.'),
  banned: flagSchema.optional().describe('Whether the user is banned.'),
  telegram_id: telegramIdSchema.optional().describe('The Telegram id.'),
  search: searchSchema
    .optional()
    .describe('Only users with this text in their note, name or username, in any case, or with this Telegram id.'),
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
    plan: planSchema.nullable().optional().describe('Name of a plan; null: the default plan of the user.'),
    note: textSchema(MAX_NOTE_LENGTH).nullable().optional().describe('Text of the admins about the user; null: none.'),
  })
  .refine(({ plan, note }) => plan !== undefined || note !== undefined, { message: 'is missing', path: ['plan'] })
  .meta({ examples: [{ plan: 'trusted', note: 'Ann, Sales' }] });
const CHANGE = documentRoute({
  summary: 'Put a user on a plan, or write a note',
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
    const { plan, role, banned: isBanned, telegram_id: telegramId, search, ...page } = readQuery(querySchema, request);
    const filter = { plan, role, isBanned, telegramId, search };
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
    const { plan, note } = await readBody(changesSchema, request);
    const names = management.listPlans().map(({ name }) => name);
    if (plan && !names.includes(plan))
      throw invalidRequest(`'plan' must be one of ${names.join(', ')}, or null.`, 'plan');
    const check = (current: ManagedUser) => requireMatch(request, toUser(current));
    const change = { manager: getManager(request), check, userId };
    let user = plan === undefined ? undefined : await management.changePlan(change, plan ?? undefined);
    if (note !== undefined && (user || plan === undefined)) {
      // The first change has checked the state that the client has seen.
      const next = user ? { ...change, check: () => {} } : change;
      user = await management.changeNote(next, note?.trim() || undefined);
    }
    if (!user) throw notFound('There is no user with this id.');
    return tagged(reply, toUser(user));
  });
}

function toUser(user: ManagedUser): UserAnswer {
  return {
    id: user.id,
    telegram_id: user.telegramId ?? null,
    note: user.note ?? null,
    name: user.name ?? null,
    username: user.username ?? null,
    universal_key: user.hasUniversalKey,
    role: user.role,
    plan: user.plan,
    assigned_plan: user.assignedPlan ?? null,
    banned: user.isBanned,
    admitted: user.isAdmitted,
    reachable: user.isReachable,
    created_at: toTime(user.createdAt),
  };
}
