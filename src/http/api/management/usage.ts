import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  GROUPING_COLUMNS,
  GROUPING_PERIODS,
  type Grouping,
  USAGE_KINDS,
  type UsageFilter,
  type UsageGroup,
  type UsageRow,
} from '../../../core/management/index.ts';
import { invalidRequest } from '../../http-error.ts';
import { documentRoute } from './document-route.ts';
import { costFieldSchema, timeFieldSchema, toTime } from './fields.ts';
import type { ManagementApiDeps } from './management-api-deps.ts';
import { pageSchema, pageShape, readQuery, sendPage } from './query.ts';
import { type CsvColumn, sendCsv } from './send-csv.ts';
import { toUsageFilter, usageShape } from './usage-query.ts';

/** Maximum rows of one CSV file. */
const MAX_CSV_ROWS = 100_000;
/** Maximum groups of one CSV file. */
const MAX_CSV_GROUPS = 10_000;
/** Rows read at once for a CSV file: they block the thread for about 20 ms with the embedded database. */
const CSV_BATCH_ROWS = 250;

const formatSchema = z
  .enum(['json', 'csv'], "must be 'json' or 'csv'")
  .default('json')
  .describe('`csv`: one file without pages, `limit` and `cursor` have no effect.');

const count = z.int();
const reported = z.int().nullable();
const rowSchema = z
  .strictObject({
    id: z.string(),
    created_at: timeFieldSchema,
    user: z.int(),
    key: z.int().nullable().describe('API key; null for chats. It may have been deleted since.'),
    chat: z.int().nullable().describe('Telegram id of the chat; null for the API.'),
    kind: z.enum(USAGE_KINDS),
    model: z.string(),
    provider: z.string(),
    prompt_tokens: count,
    completion_tokens: count,
    cached_tokens: reported.describe('Part of the prompt that came from a cache; null: not reported.'),
    cache_write_tokens: reported,
    reasoning_tokens: reported,
    audio_input_tokens: reported,
    audio_output_tokens: reported,
    images: count,
    audio_seconds: z.number().nullable(),
    characters: reported.describe('Characters read aloud.'),
    cost_usd: costFieldSchema,
    estimated: z.boolean().describe('Whether the tokens were estimated because the provider did not report them.'),
    finish_reason: z.string().nullable(),
    duration_ms: count,
  })
  .meta({ id: 'UsageRow' });

const groupSchema = z
  .strictObject({
    day: z.string().optional().describe('The day in the time zone of the request.'),
    month: z.string().optional().describe('The month, such as 2026-11.'),
    model: z.string().optional(),
    provider: z.string().optional(),
    kind: z.enum(USAGE_KINDS).optional(),
    user: z.int().optional(),
    key: z.int().nullable().optional().describe('null: usage in chats.'),
    chat: z.int().nullable().optional().describe('null: usage by the API.'),
    requests: count,
    prompt_tokens: count,
    completion_tokens: count,
    cached_tokens: count,
    cache_write_tokens: count,
    reasoning_tokens: count,
    audio_input_tokens: count,
    audio_output_tokens: count,
    images: count,
    audio_seconds: z.number(),
    characters: count,
    cost_usd: z.number().describe('US dollars of the requests whose cost is known.'),
    requests_without_cost: count.describe('Requests whose cost is not known. They are not in `cost_usd`.'),
  })
  .meta({ id: 'UsageGroup' });

const rowsQuerySchema = z.strictObject({ ...pageShape, ...usageShape, format: formatSchema });
const GROUP_NAMES = [...GROUPING_PERIODS, ...GROUPING_COLUMNS];
const groupProblem = `must be one of ${GROUP_NAMES.join(', ')}, or day or month with one of the others, such as day,model`;
const groupsQuerySchema = rowsQuerySchema.extend({
  group_by: z
    .string(groupProblem)
    .transform(toGrouping)
    .refine((grouping) => grouping !== undefined, groupProblem)
    .describe(`${GROUP_NAMES.map((name) => `\`${name}\``).join(', ')}, or a period and another: \`day,model\`.`),
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
  description: `Sums by day, month, model, user, key and others, sorted by them. A CSV file has at most ${MAX_CSV_GROUPS} rows.`,
  querystring: groupsQuerySchema,
  answer: ['Sums.', { 'application/json': pageSchema(groupSchema), ...csv }],
  errors: [400],
});

/** Adds `GET /api/usage` and `GET /api/usage/summary`. */
export function addUsage(server: FastifyInstance, deps: ManagementApiDeps): void {
  const { usage } = deps.management;
  server.get('/api/usage', { schema: ROWS }, async (request, reply) => {
    const { limit, cursor, format, ...query } = readQuery(rowsQuerySchema, request);
    const filter = toUsageFilter(query, deps.clock.now());
    if (format === 'csv') {
      const rows = await usage.count(filter, MAX_CSV_ROWS + 1);
      if (rows > MAX_CSV_ROWS) throw tooManyRows(MAX_CSV_ROWS);
      return sendCsv(reply, toColumns(rowSchema), readAllRows(deps, filter), deps);
    }
    const keySchema = z.tuple([z.string().regex(/^\d{1,17}$/), z.uuid()]);
    return sendPage(request, { limit, cursor }, { keySchema, read: (page) => usage.list(filter, page) }, toRow);
  });
  server.get('/api/usage/summary', { schema: GROUPS }, async (request, reply) => {
    const { limit, cursor, format, group_by: grouping = {}, ...query } = readQuery(groupsQuerySchema, request);
    const filter = toUsageFilter(query, deps.clock.now());
    const toWire = (group: UsageGroup) => toGroup(group, grouping);
    if (format === 'csv') {
      const { items, next } = await usage.group(filter, grouping, { limit: MAX_CSV_GROUPS });
      if (next) throw tooManyRows(MAX_CSV_GROUPS);
      const names: readonly (string | undefined)[] = [grouping.period, grouping.column];
      const columns = toColumns(groupSchema).filter((name) => names.includes(name) || !isGroupName(name));
      return sendCsv(reply, columns, [items.map(toWire)], deps);
    }
    const read = (page: Parameters<typeof usage.list>[1]) => usage.group(filter, grouping, page);
    return sendPage(request, { limit, cursor }, { keySchema: toKeySchema(grouping), read }, toWire);
  });
}

async function* readAllRows({ management }: ManagementApiDeps, filter: UsageFilter) {
  let after: readonly (string | number)[] | undefined;
  do {
    const page = await management.usage.list(filter, { limit: CSV_BATCH_ROWS, after });
    yield page.items.map(toRow);
    after = page.next;
  } while (after);
}

function toColumns(schema: z.ZodObject): readonly CsvColumn[] {
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

function tooManyRows(max: number) {
  return invalidRequest(`'from' and 'to' select more than ${max} rows. Choose a shorter time or more filters.`, 'from');
}

function toRow(row: UsageRow): z.infer<typeof rowSchema> {
  return {
    id: row.id,
    created_at: toTime(row.createdAt),
    user: row.userId,
    key: row.keyId,
    chat: row.chatId,
    kind: row.kind,
    model: row.model,
    provider: row.provider,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    reasoning_tokens: row.reasoningTokens,
    audio_input_tokens: row.audioInputTokens,
    audio_output_tokens: row.audioOutputTokens,
    images: row.imageCount,
    audio_seconds: row.audioSeconds,
    characters: row.characters,
    cost_usd: row.costUsd,
    estimated: row.isEstimated,
    finish_reason: row.finishReason,
    duration_ms: row.durationMs,
  };
}

function toGroup(group: UsageGroup, { period, column }: Grouping): z.infer<typeof groupSchema> {
  return {
    ...(period === 'day' && { day: group.periodStart }),
    ...(period === 'month' && { month: group.periodStart?.slice(0, 7) }),
    ...(column && { [column]: toGroupValue(column, group.value ?? '') }),
    requests: group.requests,
    prompt_tokens: group.promptTokens,
    completion_tokens: group.completionTokens,
    cached_tokens: group.cachedTokens,
    cache_write_tokens: group.cacheWriteTokens,
    reasoning_tokens: group.reasoningTokens,
    audio_input_tokens: group.audioInputTokens,
    audio_output_tokens: group.audioOutputTokens,
    images: group.images,
    audio_seconds: group.audioSeconds,
    characters: group.characters,
    cost_usd: group.costUsd,
    requests_without_cost: group.unknownCosts,
  };
}

function toGroupValue(column: NonNullable<Grouping['column']>, value: string): string | number | null {
  if (column === 'user') return Number(value);
  if (column === 'key' || column === 'chat') return Number(value) || null;
  return value;
}
