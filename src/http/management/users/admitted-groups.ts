import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../../protocols/http-error.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { emptyQuerySchema, readId, readQuery, telegramChatIdSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';

const groupSchema = z
  .strictObject({
    telegram_id: z.int(),
    title: z.string().nullable().describe('Null if Telegram does not say it.'),
    admitted_by: z.int().nullable().describe('Telegram id of the admin.'),
    admitted_by_name: z.string().nullable().describe('Note or name of the admin, if one is stored.'),
    works: z.boolean().describe('False if the admin who let the members in is no admin any more.'),
  })
  .meta({ id: 'AdmittedGroup' });

/** A group whose members may use a private service, as admins see it. */
export type AdmittedGroupAnswer = z.infer<typeof groupSchema>;

const LIST = documentRoute({
  summary: 'List groups whose members have access',
  description: 'An admin lets the members of a group in by the settings of the group, in the chat.',
  querystring: emptyQuerySchema,
  answer: ['At most 20, those that work first.', z.strictObject({ data: z.array(groupSchema) })],
  errors: [400],
});
const END = documentRoute({
  summary: 'End the access of the members of a group',
  params: z.object({ id: z.string().describe('Telegram id of the group.') }),
  status: 204,
  answer: ['Members have no access by this group any more.'],
  errors: [400, 404],
});

/** Adds the routes of groups whose members have access. */
export function addAdmittedGroups(server: FastifyInstance, services: HttpServices): void {
  const { groupAccess, logger, management } = services;
  server.get('/api/admitted-groups', { schema: LIST }, async (request) => {
    readQuery(emptyQuerySchema, request);
    const groups = await groupAccess.listAdmitted();
    const names = await management.findNames(groups.flatMap(({ admittedBy = [] }) => admittedBy));
    const data = groups.map(
      ({ chatId, title, admittedBy, isInForce }): AdmittedGroupAnswer => ({
        telegram_id: chatId,
        title: title ?? null,
        admitted_by: admittedBy ?? null,
        admitted_by_name: names.get(admittedBy ?? 0) ?? null,
        works: isInForce,
      }),
    );
    return { data };
  });
  server.delete('/api/admitted-groups/:id', { schema: END }, async (request, reply) => {
    const chatId = readId(telegramChatIdSchema, request);
    const { telegramId, keyId, userId: adminId } = getManager(request);
    if ((await groupAccess.setAdmitting(chatId, false, telegramId, keyId)) !== 'done')
      throw notFound('Members of this group have no access by it.');
    logger.info({ adminId, chatId, isOn: false }, 'access of the members of a group changed');
    return reply.code(204).send();
  });
}
