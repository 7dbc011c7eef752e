import { z } from 'zod';
import { USAGE_KINDS, type UsageFilter } from '../../core/management/index.ts';
import { idSchema, telegramChatIdSchema, textSchema, timeSchema, timeZoneSchema } from '../resources/query.ts';
import { invalidRequest } from '../server/http-error.ts';

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
export const usageShape = {
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

export type UsageQuery = z.output<z.ZodObject<typeof usageShape>>;

/**
 * Converts query parameters to a filter.
 * @throws HttpError 400 if the period is empty or too long.
 */
export function toUsageFilter(query: UsageQuery, nowMs: number): UsageFilter {
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
