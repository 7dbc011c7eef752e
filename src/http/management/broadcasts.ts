import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BROADCAST_STATES, type ListedBroadcast, type PageRequest } from '../../core/management/index.ts';
import { documentRoute } from '../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../resources/fields.ts';
import { pageSchema, pageShape, sendPage } from '../resources/paged-list.ts';
import { readQuery } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';

const broadcastSchema = z
  .strictObject({
    id: z.int(),
    admin_telegram_id: z.int(),
    admin_name: z.string().nullable().describe('Note or name of the admin, if one is stored.'),
    state: z.enum(BROADCAST_STATES).describe('`gone`: the admin has deleted the message.'),
    created_at: timeFieldSchema,
    ended_at: timeFieldSchema.nullable().describe('null while something is left to send.'),
    recipients: z
      .strictObject({
        waiting: z.int().describe('Not sent yet.'),
        sent: z.int(),
        blocked: z.int().describe('Users who have blocked the bot.'),
        failed: z.int(),
        unclear: z.int().describe('Sends that a process did not finish: sent or not.'),
        left_out: z.int(),
      })
      .describe('Numbers of recipients.'),
  })
  .meta({ id: 'Broadcast' });

/** A broadcast with its progress. */
export type Broadcast = z.infer<typeof broadcastSchema>;

const querySchema = z.strictObject(pageShape);
const LIST = documentRoute({
  summary: 'List broadcasts',
  description: 'With their progress, without their messages. They are started and stopped in the chat.',
  querystring: querySchema,
  answer: ['Broadcasts, newest first.', pageSchema(broadcastSchema)],
  errors: [400],
});

/** Adds `GET /api/broadcasts`. */
export function addBroadcasts(server: FastifyInstance, { management }: HttpServices): void {
  server.get('/api/broadcasts', { schema: LIST }, (request) => {
    const read = async (page: PageRequest) => {
      const { items, next } = await management.listBroadcasts(page);
      const names = await management.findNames(items.map(({ adminTelegramId }) => adminTelegramId));
      return { next, items: items.map((item) => ({ ...item, adminName: names.get(item.adminTelegramId) })) };
    };
    const list = { keySchema: z.tuple([z.int()]), read };
    return sendPage(request, readQuery(querySchema, request), list, toBroadcast);
  });
}

function toBroadcast(broadcast: ListedBroadcast & { readonly adminName: string | undefined }): Broadcast {
  const { id, adminTelegramId, adminName, state, createdAt, endedAt, counts } = broadcast;
  return {
    id,
    admin_telegram_id: adminTelegramId,
    admin_name: adminName ?? null,
    state,
    created_at: toTime(createdAt),
    ended_at: endedAt ? toTime(endedAt) : null,
    recipients: {
      waiting: counts.waiting + counts.sending,
      sent: counts.sent,
      blocked: counts.blocked,
      failed: counts.failed,
      unclear: counts.unclear,
      left_out: counts['left-out'],
    },
  };
}
