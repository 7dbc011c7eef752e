import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BROADCAST_STATES, type ListedBroadcast } from '../../core/management/index.ts';
import { documentRoute } from '../resources/document-route.ts';
import { timeFieldSchema, toTime } from '../resources/fields.ts';
import { pageSchema, pageShape, sendPage } from '../resources/paged-list.ts';
import { readQuery } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';

const broadcastSchema = z
  .strictObject({
    id: z.int(),
    admin_telegram_id: z.int(),
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
    const list = { keySchema: z.tuple([z.int()]), read: management.listBroadcasts };
    return sendPage(request, readQuery(querySchema, request), list, toBroadcast);
  });
}

function toBroadcast({ id, adminTelegramId, state, createdAt, endedAt, counts }: ListedBroadcast): Broadcast {
  return {
    id,
    admin_telegram_id: adminTelegramId,
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
