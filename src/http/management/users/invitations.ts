import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  type Invitation,
  MAX_INVITATION_LIFETIME_MS,
  MAX_INVITATION_USES,
} from '../../../core/administration/index.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import { wholeNumberSchema } from '../../../protocols/fields/field-schemas.ts';
import { notFound } from '../../../protocols/http-error.ts';
import { conflict } from '../../resources/conflict.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../../resources/fields.ts';
import { emptyQuerySchema, idSchema, readBody, readId, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';
import { planSchema, readPlan } from './user-plan.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = MAX_INVITATION_LIFETIME_MS / DAY_MS;

const invitationShape = {
  id: z.int(),
  plan: z.string().nullable().describe('Plan of the users; null: the default plan.'),
  max_uses: z.int(),
  use_count: z.int(),
  expires_at: timeFieldSchema,
  created_at: timeFieldSchema,
  created_by: z.int().describe('Telegram id of the admin.'),
  created_by_name: z.string().nullable().describe('Note or name of the admin, if one is stored.'),
  works: z.boolean().describe('False if it is used up, or its maker is no admin any more.'),
};
const invitationSchema = z.strictObject(invitationShape).meta({ id: 'Invitation' });
const createdSchema = z
  .strictObject({ ...invitationShape, link: z.string().describe('Shown only now: the database has its hash.') })
  .meta({ id: 'InvitationWithLink' });

/** An invitation as admins see it. */
export type InvitationAnswer = z.infer<typeof invitationSchema>;
/** A new invitation. */
export type InvitationWithLink = z.infer<typeof createdSchema>;

const newSchema = z
  .strictObject({
    plan: planSchema.optional().describe('Plan of the users. Default: the default plan.'),
    max_uses: wholeNumberSchema(1, MAX_INVITATION_USES).default(1).describe('Accounts that may use it. Default 1.'),
    days: wholeNumberSchema(1, MAX_DAYS).default(7).describe(`Days until it ends, at most ${MAX_DAYS}. Default 7.`),
  })
  .meta({ examples: [{ plan: 'trusted', max_uses: 25, days: 30 }] });

const LIST = documentRoute({
  summary: 'List invitations',
  description: 'Links that let accounts into a private service. There are at most 100.',
  querystring: emptyQuerySchema,
  answer: ['Those that have not ended, newest first.', z.strictObject({ data: z.array(invitationSchema) })],
  errors: [400],
});
const CREATE = documentRoute({
  summary: 'Create an invitation',
  body: newSchema,
  status: 201,
  answer: ['The invitation with its link.', createdSchema],
  errors: [400, 409, 413, 415],
});
const REVOKE = documentRoute({
  summary: 'Revoke an invitation',
  params: z.object({ id: z.string().describe('Id of the invitation.') }),
  status: 204,
  answer: ['The link works no more. Users who have used it keep their access.'],
  errors: [400, 404],
});

/** Adds the routes of invitations. */
export function addInvitations(server: FastifyInstance, services: HttpServices): void {
  const { administration, findBotUsername, invitations, limits, logger, management } = services;
  const toAnswers = async (items: readonly Invitation[]) => {
    const names = await management.findNames(items.map(({ createdBy }) => createdBy));
    return items.map((item) => toAnswer(item, names, management.isAdmin(item.createdBy)));
  };
  server.get('/api/invitations', { schema: LIST }, async (request) => {
    readQuery(emptyQuerySchema, request);
    return { data: await toAnswers(await invitations.list()) };
  });
  server.post('/api/invitations', { schema: CREATE }, async (request, reply) => {
    const { plan, max_uses: maxUses, days } = await readBody(newSchema, request);
    const known = readPlan(limits, plan);
    if (!administration.isPrivate) throw conflict('No invitation is needed, because ALLOWED_IDS is not set.');
    const username = await findBotUsername?.();
    if (username === undefined) throw conflict('The bot is not connected to Telegram: its link is not known.');
    const { telegramId: adminTelegramId, keyId, userId: adminId } = getManager(request);
    const params = { adminTelegramId, keyId, plan: known, maxUses, lifetimeMs: days * DAY_MS };
    const created = await invitations.create(params);
    if (!created) throw conflict('There are 100 invitations already. Revoke some of them first.');
    const { invitation, code } = created;
    logger.info({ adminId, invitationId: invitation.id }, 'invitation created');
    const [answer] = await toAnswers([invitation]);
    return reply.code(201).send({ ...answer, link: toStartLink(services, { username }, 'invitation', code) });
  });
  server.delete('/api/invitations/:id', { schema: REVOKE }, async (request, reply) => {
    const invitationId = readId(idSchema, request);
    const { telegramId: adminTelegramId, keyId, userId: adminId } = getManager(request);
    if (!(await invitations.revoke(invitationId, { adminTelegramId, keyId })))
      throw notFound('There is no invitation with this id.');
    logger.info({ adminId, invitationId }, 'invitation revoked');
    return reply.code(204).send();
  });
}

function toAnswer(
  { id, plan, maxUses, useCount, expiresAt, createdAt, createdBy }: Invitation,
  names: ReadonlyMap<number, string>,
  isByAdmin: boolean,
): InvitationAnswer {
  return {
    id,
    plan: plan ?? null,
    max_uses: maxUses,
    use_count: useCount,
    expires_at: toTime(expiresAt),
    created_at: toTime(createdAt),
    created_by: createdBy,
    created_by_name: names.get(createdBy) ?? null,
    works: isByAdmin && useCount < maxUses,
  };
}
