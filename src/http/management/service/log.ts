import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { LogEntry as StoredEntry } from '../../../lib/log/recent-log.ts';
import { documentRoute } from '../../resources/document-route.ts';
import { timeFieldSchema } from '../../resources/fields.ts';
import { hideSecrets } from '../../resources/hide-secrets.ts';
import { emptyQuerySchema, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const entrySchema = z
  .strictObject({
    id: z.int().describe('Increases with each entry, from the start of the process.'),
    time: timeFieldSchema,
    level: z.enum(['warn', 'error', 'fatal']),
    message: z.string(),
    error: z.string().nullable().describe('Type and message of the error; null if there was none.'),
    facts: z.string().describe('Other fields as JSON; empty if there are none.'),
  })
  .meta({ id: 'LogEntry' });

/** A warning or an error of the process. */
export type LogEntry = z.infer<typeof entrySchema>;

const LIST = documentRoute({
  summary: 'List recent warnings and errors',
  description:
    'The last 200 of the process that answers, newest first, without secrets, addresses and contents. They are kept in memory until the process ends.',
  querystring: emptyQuerySchema,
  answer: ['Warnings and errors.', z.strictObject({ data: z.array(entrySchema) })],
  errors: [400],
});

/** Adds `GET /api/log`. */
export function addLog(server: FastifyInstance, { recentLog }: HttpServices): void {
  server.get('/api/log', { schema: LIST }, async (request) => {
    readQuery(emptyQuerySchema, request);
    return { data: recentLog?.list().map(toEntry) ?? [] };
  });
}

function toEntry({ id, time, level, message, error, facts }: StoredEntry): LogEntry {
  return {
    id,
    time,
    level,
    message: hideSecrets(message),
    error: error === undefined ? null : hideSecrets(error),
    facts: hideSecrets(facts),
  };
}
