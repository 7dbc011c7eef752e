import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Access } from '../../../core/management/index.ts';
import { conflict } from '../../resources/conflict.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { requireMatch, tagged } from '../../resources/entity-tag.ts';
import { readBody, readId, telegramIdSchema, textSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';
import { getManager } from '../authenticate-manager.ts';

const MAX_REASON_LENGTH = 500;

const accessSchema = z
  .strictObject({
    telegram_id: z.int(),
    user: z.int().nullable().describe('Id of the user; null if the account has never written.'),
    banned: z.boolean(),
    ban_reason: z.string().nullable(),
    allowed: z.boolean().describe('Whether an admin has put the account on the list of a private service.'),
    fixed: z.boolean().describe('Whether the account is an admin or in ALLOWED_IDS, which can not be changed here.'),
  })
  .meta({ id: 'Access' });

/** Bans and permissions of a Telegram account. */
export type AccessAnswer = z.infer<typeof accessSchema>;

const changesSchema = z
  .strictObject({
    banned: z.boolean('must be true or false').optional().describe('`true` bans, `false` lifts a ban.'),
    allowed: z
      .boolean('must be true or false')
      .optional()
      .describe('Puts the account on the list of a private service, or removes it.'),
    reason: textSchema(MAX_REASON_LENGTH).optional().describe('Note for other admins.'),
  })
  .meta({ examples: [{ banned: true, reason: 'spam' }] });

const params = z.object({ id: z.string().describe('Telegram id.') });
const ONE = documentRoute({
  summary: 'Get the access of an account',
  params,
  answer: ['Bans and permissions of a Telegram account, which need not have written yet.', accessSchema],
  errors: [400],
});
const CHANGE = documentRoute({
  summary: 'Ban or allow an account',
  description: 'Applies within a second: to the chat and to all keys of the user.',
  params,
  body: changesSchema,
  isConditional: true,
  answer: ['The new state.', accessSchema],
  errors: [400, 409, 412, 413, 415],
});

/** Adds the routes of access, by Telegram id. */
export function addAccess(server: FastifyInstance, { management, administration }: HttpServices): void {
  server.get('/api/access/:id', { schema: ONE }, async (request, reply) =>
    tagged(reply, toAccess(await management.readAccess(readId(telegramIdSchema, request)))),
  );
  server.patch('/api/access/:id', { schema: CHANGE }, async (request, reply) => {
    const telegramId = readId(telegramIdSchema, request);
    const { banned: isBanned, allowed: isAllowed, reason = '' } = await readBody(changesSchema, request);
    if (isAllowed !== undefined && !administration.isPrivate)
      throw conflict('All users are allowed, because ALLOWED_IDS is not set.', 'allowed');
    const check = (current: Access) => {
      requireMatch(request, toAccess(current));
      if (current.isFixed && isAllowed !== undefined)
        throw conflict('The settings of the service allow this account.', 'allowed');
      if (isBanned && management.isAdmin(telegramId)) throw conflict('Admins can not be banned.', 'banned');
    };
    const options = { manager: getManager(request), check, telegramId };
    return tagged(reply, toAccess(await management.changeAccess(options, { isBanned, isAllowed, reason })));
  });
}

function toAccess(access: Access): AccessAnswer {
  return {
    telegram_id: access.telegramId,
    user: access.userId ?? null,
    banned: access.isBanned,
    ban_reason: access.banReason ?? null,
    allowed: access.isAllowed,
    fixed: access.isFixed,
  };
}
