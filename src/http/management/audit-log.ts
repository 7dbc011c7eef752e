import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ADMIN_ACTIONS, type ListedAction, type PageRequest } from '../../core/management/index.ts';
import { documentRoute } from '../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../resources/fields.ts';
import { pageSchema, pageShape, sendPage } from '../resources/paged-list.ts';
import { readQuery, telegramIdSchema, textSchema, timeSchema } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { toCurrentAction, toCurrentScope } from './former-words.ts';

const MAX_SUBJECT_LENGTH = 100;

const actionSchema = z
  .strictObject({
    id: z.int(),
    admin_telegram_id: z.int(),
    admin_name: z.string().nullable().describe('Note or name of the admin, if one is stored.'),
    key: z.int().nullable().describe('API key by which the admin acted; null: in the chat or the console.'),
    action: z.enum(ADMIN_ACTIONS),
    subject: z.string().describe('What the action was about: Telegram id of a user, id of a file or of a broadcast, …'),
    subject_name: z
      .string()
      .nullable()
      .describe('Note or name of the user that the action was about, if one is stored.'),
    reason: z.string().describe('Note of the admin, or the new value; empty if none.'),
    created_at: timeFieldSchema,
  })
  .meta({ id: 'AdminAction' });

/** An action of an admin. */
export type AdminAction = z.infer<typeof actionSchema>;

const querySchema = z.strictObject({
  ...pageShape,
  admin_telegram_id: telegramIdSchema.optional().describe('Telegram id of the admin.'),
  action: z
    .preprocess(toCurrentAction, z.enum(ADMIN_ACTIONS, `must be one of ${ADMIN_ACTIONS.join(', ')}`))
    .optional()
    .describe('Kind of action.'),
  subject: textSchema(MAX_SUBJECT_LENGTH).transform(toCurrentScope).optional().describe('What the action was about.'),
  from: timeSchema.optional().describe('Earliest time, such as 2026-11-23T09:30:00Z.'),
  to: timeSchema.optional().describe('Time before which the actions happened.'),
});

const LIST = documentRoute({
  summary: 'List the audit log',
  querystring: querySchema,
  answer: ['Actions of admins, newest first.', pageSchema(actionSchema)],
  errors: [400],
});

/** Adds `GET /api/audit-log`. */
export function addAuditLog(server: FastifyInstance, { management }: HttpServices): void {
  server.get('/api/audit-log', { schema: LIST }, (request) => {
    const { admin_telegram_id: adminTelegramId, limit, cursor, ...others } = readQuery(querySchema, request);
    const read = async (page: PageRequest) => {
      const { items, next } = await management.listAuditLog({ adminTelegramId, ...others }, page);
      const ids = items.flatMap((item) => [item.adminTelegramId, toTelegramId(item.subject)]);
      const names = await management.findNames(ids);
      return { next, items: items.map((item) => ({ ...item, names })) };
    };
    return sendPage(request, { limit, cursor }, { keySchema: z.tuple([z.int()]), read }, toAction);
  });
}

/** Returns the Telegram id that a subject may be; 0 if it is none. */
function toTelegramId(subject: string): number {
  return /^[1-9]\d{0,15}$/.test(subject) ? Number(subject) : 0;
}

function toAction(action: ListedAction & { readonly names: ReadonlyMap<number, string> }): AdminAction {
  return {
    id: action.id,
    admin_telegram_id: action.adminTelegramId,
    admin_name: action.names.get(action.adminTelegramId) ?? null,
    key: action.keyId ?? null,
    action: action.action,
    subject: action.subject,
    subject_name: action.names.get(toTelegramId(action.subject)) ?? null,
    reason: action.reason,
    created_at: toTime(action.createdAt),
  };
}
