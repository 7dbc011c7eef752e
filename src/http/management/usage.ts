import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  GROUPING_COLUMNS,
  GROUPING_PERIODS,
  type Grouping,
  type Page,
  type PageRequest,
  TooManyRowsError,
  USAGE_KINDS,
  type UsageFilter,
  type UsageGroup,
  type UsageRow,
} from '../../core/management/index.ts';
import { invalidRequest } from '../../protocols/http-error.ts';
import { documentRoute } from '../resources/document-route.ts';
import { pageSchema, pageShape, sendPage } from '../resources/paged-list.ts';
import {
  idSchema,
  readQuery,
  telegramChatIdSchema,
  textSchema,
  timeSchema,
  timeZoneSchema,
} from '../resources/query.ts';
import { sendCsv } from '../resources/send-csv.ts';
import type { HttpServices } from '../services.ts';
import { groupSchema, rowSchema, toGroup, toRow } from './usage-fields.ts';

const DAY_MS = 86_400_000;

/** Default length of the period, in days before `to`. */
const DEFAULT_DAYS = 30;

/** Longest period, in days: three years. */
const MAX_DAYS = 1100;

const MAX_NAME_LENGTH = 500;

const dateSchema = z
  .string()
  .regex(/^20\d\d-\d\d-\d\d$/)
  .meta({ format: 'date' })
  .refine((text) => new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text);

const momentProblem =
  'must be a day such as 2026-11-23, or a time such as 2026-11-23T09:30:00Z, in the years 2000 to 2099';

const momentSchema = z.union([dateSchema, timeSchema], momentProblem);

/** Query parameters that select usage. */
const usageShape = {
  from: momentSchema
    .optional()
    .describe(`First day or time, such as 2026-11-01. Default: ${DEFAULT_DAYS} days before \`to\`.`),
  to: momentSchema.optional().describe('Day or time before which the usage was. Default: now.'),
  time_zone: timeZoneSchema.default('UTC').describe('Time zone of days, such as Europe/Berlin. Default: UTC.'),
  user: idSchema.optional().describe('Id of the user.'),
  key: idSchema.optional().describe('Id of the API key.'),
  chat: telegramChatIdSchema.optional().describe('Telegram id of the chat.'),
  model: textSchema(MAX_NAME_LENGTH).optional().describe('Name of the model, as requested.'),
  provider: textSchema(MAX_NAME_LENGTH).optional().describe('Name of the provider.'),
  kind: z
    .enum(USAGE_KINDS, `must be one of ${USAGE_KINDS.join(', ')}`)
    .optional()
    .describe('Kind of generation.'),
};

type UsageQuery = z.output<z.ZodObject<typeof usageShape>>;

/** Maximum rows or groups of one CSV file. */
const MAX_CSV_ROWS = 100_000;

const formatSchema = z
  .enum(['json', 'csv'], "must be 'json' or 'csv'")
  .default('json')
  .describe('`csv`: one file without pages, `limit` and `cursor` have no effect.');

const rowsQuerySchema = z.strictObject({ ...pageShape, ...usageShape, format: formatSchema });
const GROUP_NAMES = [...GROUPING_PERIODS, ...GROUPING_COLUMNS];
const groupProblem = `must be one of ${GROUP_NAMES.join(', ')}, or day or month with one of the others, such as day,model`;
const groupsQuerySchema = rowsQuerySchema.extend({
  group_by: z
    .string(groupProblem)
    .transform(toGrouping)
    .refine((grouping) => grouping !== undefined, groupProblem)
    .describe(`${GROUP_NAMES.map((name) => `\`${name}\``).join(', ')}, or a period and another: \`day,model\`.`),
  order: z
    .enum(['cost'], "must be 'cost'")
    .optional()
    .describe('`cost`: the most expensive groups, at most `limit`. Not with a period, a cursor or CSV.'),
});

const csv = {
  'text/csv': 'The same columns, with a byte order mark. Texts that begin like formulas get an apostrophe.',
};
const ROWS = documentRoute({
  summary: 'List usage',
  description: `One entry for each generation, newest first. Messages are never stored in it. A CSV file has at most ${MAX_CSV_ROWS} rows.`,
  querystring: rowsQuerySchema,
  answer: ['Rows of the usage ledger.', { 'application/json': pageSchema(rowSchema), ...csv }],
  errors: [400],
});
const GROUPS = documentRoute({
  summary: 'Sum up usage',
  description: `Sums by day, month, model, user, key and others, sorted by them. A CSV file has at most ${MAX_CSV_ROWS} rows.`,
  querystring: groupsQuerySchema,
  answer: ['Sums.', { 'application/json': pageSchema(groupSchema), ...csv }],
  errors: [400],
});

/** Adds `GET /api/usage` and `GET /api/usage/summary`. */
export function addUsage(server: FastifyInstance, services: HttpServices): void {
  server.get('/api/usage', { schema: ROWS }, (request, reply) => sendUsageRows(services, request, reply));
  server.get('/api/usage/summary', { schema: GROUPS }, (request, reply) => sendUsageGroups(services, request, reply));
}

/**
 * Answers with the rows of the usage ledger that the query selects.
 * @param ownerId the only user whose usage may be read. Default: that of all.
 */
export async function sendUsageRows(
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  ownerId?: number,
) {
  const { usage } = services.management;
  const { limit, cursor, format, ...query } = readQuery(rowsQuerySchema, request);
  const filter = toFilter(services, query, ownerId);
  if (format === 'csv') {
    const rows = await usage.count(filter, MAX_CSV_ROWS + 1);
    if (rows > MAX_CSV_ROWS) throw new TooManyRowsError(MAX_CSV_ROWS);
    const columns = toColumns(rowSchema).filter((name) => name !== 'user_name' || ownerId === undefined);
    return sendCsv(reply, columns, readAllRows(services, filter, ownerId), services.clock);
  }
  const keySchema = z.tuple([z.string().regex(/^\d{1,17}$/), z.uuid()]);
  const read = async (page: PageRequest) => {
    const { items, next } = await usage.list(filter, page);
    return { next, items: await toRows(services, items, ownerId) };
  };
  return sendPage(request, { limit, cursor }, { keySchema, read }, (row) => row);
}

/**
 * Answers with sums of the usage that the query selects.
 * @param ownerId the only user whose usage may be read. Default: that of all.
 */
export async function sendUsageGroups(
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  ownerId?: number,
) {
  const { usage } = services.management;
  const { limit, cursor, format, group_by, order, ...query } = readQuery(groupsQuerySchema, request);
  const grouping = { ...group_by, isByCost: order === 'cost' };
  if (grouping.isByCost && (grouping.period || cursor !== undefined || format === 'csv'))
    throw invalidRequest("'order' is not for days, months, further pages and CSV.", 'order');
  const filter = toFilter(services, query, ownerId);
  const names: readonly (string | undefined)[] = [grouping.period, grouping.column];
  // Notes of admins are not for the users themselves.
  const isNamed = grouping.column === 'user' && ownerId === undefined;
  const toGroups = async (groups: readonly UsageGroup[]) => {
    const userNames = await services.management.findUserNames(isNamed ? groups.map(({ value }) => Number(value)) : []);
    return groups.map((group) => toGroup(group, grouping, userNames));
  };
  if (format === 'csv') {
    const groups = await usage.countGroups(filter, grouping, MAX_CSV_ROWS + 1);
    if (groups > MAX_CSV_ROWS) throw new TooManyRowsError(MAX_CSV_ROWS);
    const columns = toColumns(groupSchema).filter((name) =>
      name === 'user_name' ? isNamed : names.includes(name) || !isGroupName(name),
    );
    return sendCsv(reply, columns, readAllGroups(services, filter, grouping, toGroups), services.clock);
  }
  const read = async (page: PageRequest) => {
    const { items, next } = await usage.group(filter, grouping, page);
    return { next, items: await toGroups(items) };
  };
  return sendPage(request, { limit, cursor }, { keySchema: toKeySchema(grouping), read }, (group) => group);
}

/** Returns rows as they are sent, for admins with the names of users. */
async function toRows({ management }: HttpServices, rows: readonly UsageRow[], ownerId: number | undefined) {
  const names = ownerId === undefined ? await management.findUserNames(rows.map(({ userId }) => userId)) : undefined;
  return rows.map((row) => toRow(row, names));
}

function toFilter({ clock }: HttpServices, query: UsageQuery, ownerId: number | undefined): UsageFilter {
  const filter = toUsageFilter(query, clock.now());
  return ownerId === undefined ? filter : { ...filter, userId: ownerId };
}

/** Rows formatted at once for a CSV file: they block the thread for about 20 ms with the embedded database. */
const CSV_BATCH_ROWS = 250;

async function* readAllRows(services: HttpServices, filter: UsageFilter, ownerId: number | undefined) {
  const { usage } = services.management;
  for await (const rows of readPages(CSV_BATCH_ROWS, (page) => usage.list(filter, page)))
    yield await toRows(services, rows, ownerId);
}

/** Groups read at once for a CSV file. The usage of the groups that follow is summed up for each reading. */
const CSV_BATCH_GROUPS = 2500;

async function* readAllGroups<Row>(
  { management }: HttpServices,
  filter: UsageFilter,
  grouping: Grouping,
  toGroups: (groups: readonly UsageGroup[]) => Promise<readonly Row[]>,
) {
  const { usage } = management;
  for await (const groups of readPages(CSV_BATCH_GROUPS, (page) => usage.group(filter, grouping, page)))
    for (let first = 0; first < groups.length; first += CSV_BATCH_ROWS)
      yield await toGroups(groups.slice(first, first + CSV_BATCH_ROWS));
}

/** Reads a list page by page. */
async function* readPages<Item>(limit: number, read: (page: PageRequest) => Promise<Page<Item>>) {
  let after: PageRequest['after'];
  do {
    const { items, next } = await read({ limit, after });
    yield items;
    after = next;
  } while (after);
}

function toColumns(schema: z.ZodObject): readonly string[] {
  return Object.keys(schema.shape);
}

const isGroupName = (name: string) => (GROUP_NAMES as readonly string[]).includes(name);

/** Reads `day`, `model`, `day,model` or `model,day`. Returns undefined for anything else. */
function toGrouping(text: string): Grouping | undefined {
  const names = text.split(',', 3);
  const period = GROUPING_PERIODS.find((name) => names.includes(name));
  const column = GROUPING_COLUMNS.find((name) => names.includes(name));
  const known = [period, column].filter((name) => name !== undefined);
  return names.length === known.length && text.split(',').length === names.length ? { period, column } : undefined;
}

function toKeySchema({ period, column }: Grouping) {
  const isNumber = column === 'user' || column === 'key' || column === 'chat';
  return z.tuple([
    period ? z.string().regex(/^20\d\d-\d\d-\d\d$/) : z.literal(''),
    isNumber ? z.string().regex(/^-?\d{1,16}$/) : z.string(),
  ]);
}

/**
 * Converts query parameters to a filter.
 * @throws HttpError 400 if the period is empty or too long.
 */
function toUsageFilter(query: UsageQuery, nowMs: number): UsageFilter {
  const { to = new Date(nowMs), time_zone: timeZone } = query;
  const from = query.from ?? new Date(toMs(to) - DEFAULT_DAYS * DAY_MS);
  const days = (toMs(to) - toMs(from)) / DAY_MS;
  // Days of time zones differ from those of UTC by less than one day.
  if (days < -1 || (days <= 0 && typeof from === typeof to))
    throw invalidRequest("'from' must be before 'to'.", 'from');
  if (days > MAX_DAYS) throw invalidRequest(`'from' must be at most ${MAX_DAYS} days before 'to'.`, 'from');
  const { user: userId, key: keyId, chat: chatId, model, provider, kind } = query;
  return { userId, keyId, chatId, model, provider, kind, from, to, timeZone };
}

function toMs(moment: Date | string): number {
  return moment instanceof Date ? moment.getTime() : Date.parse(`${moment}T00:00:00Z`);
}
