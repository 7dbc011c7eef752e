import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { documentRoute } from '../../resources/document-route.ts';
import { idPlaceSchema, pageSchema, pageShape, sendPage } from '../../resources/paged-list.ts';
import { emptyQuerySchema, readQuery } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const totalsSchema = z
  .strictObject({
    files: z.int(),
    bytes: z.int(),
    shared_conversations: z.int().describe('Also counted in `files`.'),
    uploading: z.int().describe('Uploads in progress, not counted in `files`.'),
    blocked: z.int().describe('Contents that were taken down and are refused.'),
    bytes_to_move: z.int().describe('Encrypted bytes in other stores than that of new files.'),
  })
  .meta({ id: 'FileTotals' });

/** Number and size of the files of all users. */
export type FileTotals = z.infer<typeof totalsSchema>;

const userFilesSchema = z.strictObject({ user: z.int(), files: z.int(), bytes: z.int() }).meta({ id: 'UserFiles' });
const systemSchema = z
  .strictObject({
    version: z.string().describe('Version of the service.'),
    node: z.string(),
    uptime_seconds: z.int(),
    database: z.strictObject({ kind: z.enum(['embedded', 'server']), version: z.string().describe('Of Postgres.') }),
    private: z.boolean().describe('Whether only admins and allowed users may use the service.'),
    memory: z.strictObject({
      resident_bytes: z.int(),
      heap_bytes: z.int().describe('Used part of the JavaScript heap.'),
    }),
    disk: z
      .strictObject({ free_bytes: z.int(), total_bytes: z.int() })
      .nullable()
      .describe('Disk of `DATA_DIR`; null if it is not known.'),
    queues: z.strictObject({
      updates: z.int().nullable().describe('Telegram updates that are not handled yet, of all processes.'),
      chat_queues: z.int().nullable().describe('Chats that they belong to.'),
      busy_chats: z.int().nullable().describe('Chats with running or waiting answers and images.'),
      jobs: z
        .record(z.string(), z.int())
        .nullable()
        .describe('Background jobs in chats that run or wait, by kind: `answer`, `image`.'),
      durable_jobs: z
        .record(z.string(), z.int())
        .describe('Stored background jobs that run or wait, by kind, of all processes: `response`.'),
      telegram_calls: z.int().nullable().describe("Bot API calls that wait for Telegram's rate limits."),
      idempotent_requests: z.int().describe('Running requests with an idempotency key, of all processes.'),
      usage_rows: z.int().describe('Rows of the usage ledger that are not written yet.'),
    }),
  })
  .meta({ id: 'System', description: 'Of the process that answers, if nothing else is said. null: not known.' });

/** State of the process that answers. */
export type System = z.infer<typeof systemSchema>;

const pageQuery = z.strictObject(pageShape);
const FILES = documentRoute({
  summary: 'Count files',
  querystring: emptyQuerySchema,
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
  querystring: emptyQuerySchema,
  answer: ['The state of the process that answers.', systemSchema],
  errors: [400],
});

/** Adds the routes that count files and describe the process. */
export function addOverviews(server: FastifyInstance, services: HttpServices): void {
  const { management } = services;
  server.get('/api/files', { schema: FILES }, async (request): Promise<FileTotals> => {
    readQuery(emptyQuerySchema, request);
    const [{ sharedConversations, ...totals }, bytesToMove] = await Promise.all([
      management.countFiles(),
      services.storage.countElsewhere(),
    ]);
    return { ...totals, shared_conversations: sharedConversations, bytes_to_move: bytesToMove };
  });
  server.get('/api/files/users', { schema: USERS }, (request) => {
    const list = { keySchema: idPlaceSchema, read: management.listUserFiles };
    return sendPage(request, readQuery(pageQuery, request), list, ({ userId, ...counts }) => ({
      user: userId,
      ...counts,
    }));
  });
  server.get('/api/system', { schema: SYSTEM }, async (request) => {
    readQuery(emptyQuerySchema, request);
    return readSystem(services);
  });
}

async function readSystem({
  management,
  administration,
  durableJobs,
  usage,
  readState,
}: HttpServices): Promise<System> {
  const [state, database, running, durable] = await Promise.all([
    readState(),
    management.readDatabaseVersion(),
    management.countIdempotentRequests(),
    durableJobs.count(),
  ]);
  const { rss, heapUsed } = process.memoryUsage();
  const { disk, bot } = state;
  return {
    version: state.version,
    node: process.version,
    uptime_seconds: Math.floor(process.uptime()),
    database: { kind: state.database, version: database },
    private: administration.isPrivate,
    memory: { resident_bytes: rss, heap_bytes: heapUsed },
    disk: disk ? { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes } : null,
    queues: {
      updates: bot?.updates ?? null,
      chat_queues: bot?.chatQueues ?? null,
      busy_chats: bot?.busyChats ?? null,
      jobs: bot?.jobs ?? null,
      durable_jobs: durable,
      telegram_calls: bot?.telegramCalls ?? null,
      idempotent_requests: running,
      usage_rows: usage.waitingCount(),
    },
  };
}
