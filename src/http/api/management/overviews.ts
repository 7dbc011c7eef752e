import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { documentRoute } from './document-route.ts';
import type { ManagementApiDeps } from './management-api-deps.ts';
import { pageSchema, pageShape, readQuery, sendPage } from './query.ts';

const totalsSchema = z
  .strictObject({
    files: z.int(),
    bytes: z.int(),
    shared_conversations: z.int().describe('Also counted in `files`.'),
    uploading: z.int().describe('Uploads in progress, not counted in `files`.'),
    blocked: z.int().describe('Contents that were taken down and are refused.'),
  })
  .meta({ id: 'FileTotals' });
const userFilesSchema = z.strictObject({ user: z.int(), files: z.int(), bytes: z.int() }).meta({ id: 'UserFiles' });
const systemSchema = z
  .strictObject({
    uptime_seconds: z.int().describe('Of the process that answers.'),
    node: z.string(),
    database: z.string().describe('Version of Postgres.'),
    private: z.boolean().describe('Whether only admins and allowed users may use the service.'),
    usage_rows_waiting: z.int().describe('Rows of the usage ledger that this process has not written yet.'),
  })
  .meta({ id: 'System' });

const nothing = z.strictObject({});
const pageQuery = z.strictObject(pageShape);
const FILES = documentRoute({
  summary: 'Count files',
  querystring: nothing,
  answer: ['Files in number and size. Names and contents are not shown.', totalsSchema],
  errors: [400],
});
const USERS = documentRoute({
  summary: 'Count files of each user',
  querystring: pageQuery,
  answer: ['Users with files, by id.', pageSchema(userFilesSchema)],
  errors: [400],
});
const SYSTEM = documentRoute({
  summary: 'Get the state of the service',
  querystring: nothing,
  answer: ['The state of the process that answers.', systemSchema],
  errors: [400],
});

/** Adds the routes that count files and describe the process. */
export function addOverviews(server: FastifyInstance, { management, isPrivate, usage }: ManagementApiDeps): void {
  server.get('/api/files', { schema: FILES }, async (request): Promise<z.infer<typeof totalsSchema>> => {
    readQuery(nothing, request);
    const { sharedConversations, ...totals } = await management.countFiles();
    return { ...totals, shared_conversations: sharedConversations };
  });
  server.get('/api/files/users', { schema: USERS }, (request) => {
    const list = { keySchema: z.tuple([z.int()]), read: management.listUserFiles };
    return sendPage(request, readQuery(pageQuery, request), list, ({ userId, ...counts }) => ({
      user: userId,
      ...counts,
    }));
  });
  server.get('/api/system', { schema: SYSTEM }, async (request): Promise<z.infer<typeof systemSchema>> => {
    readQuery(nothing, request);
    return {
      uptime_seconds: Math.floor(process.uptime()),
      node: process.version,
      database: await management.readDatabaseVersion(),
      private: isPrivate?.() ?? false,
      usage_rows_waiting: usage.waitingCount(),
    };
  });
}
