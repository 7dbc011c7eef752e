import { z } from 'zod';
import { type Grouping, USAGE_KINDS, type UsageGroup, type UsageRow } from '../../core/management/index.ts';
import { costFieldSchema, timeFieldSchema, toTime } from '../resources/fields.ts';

const count = z.int();
const reported = z.int().nullable();
/** A row of the usage ledger in an answer. */
export const rowSchema = z
  .strictObject({
    id: z.string(),
    created_at: timeFieldSchema,
    user: z.int(),
    user_name: z
      .string()
      .nullable()
      .optional()
      .describe('What admins call the user; null without a note or a stored name.'),
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

/** Sums of a group in an answer. */
export const groupSchema = z
  .strictObject({
    day: z.string().optional().describe('The day in the time zone of the request.'),
    month: z.string().optional().describe('The month, such as 2026-11.'),
    model: z.string().optional(),
    provider: z.string().optional(),
    kind: z.enum(USAGE_KINDS).optional(),
    user: z.int().optional(),
    user_name: z.string().optional().describe('What admins call the user, if a note or name is stored.'),
    key: z.int().nullable().optional().describe('null: usage in chats.'),
    chat: z.int().nullable().optional().describe('null: usage by the API.'),
    requests: count,
    tokens: count.describe('Prompt and completion tokens as all reports count them: without those of images.'),
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

export type UsageGroupAnswer = z.infer<typeof groupSchema>;

/** @param names of users, by their id; undefined in answers to users themselves. */
export function toRow(row: UsageRow, names?: ReadonlyMap<number, string>): z.infer<typeof rowSchema> {
  return {
    id: row.id,
    created_at: toTime(row.createdAt),
    user: row.userId,
    ...(names && { user_name: names.get(row.userId) ?? null }),
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

/** @param names of the users, by their id. */
export function toGroup(
  group: UsageGroup,
  { period, column }: Grouping,
  names: ReadonlyMap<number, string>,
): z.infer<typeof groupSchema> {
  const userName = column === 'user' ? names.get(Number(group.value)) : undefined;
  return {
    ...(period === 'day' && { day: group.periodStart }),
    ...(period === 'month' && { month: group.periodStart?.slice(0, 7) }),
    ...(column && { [column]: toGroupValue(column, group.value ?? '') }),
    ...(userName !== undefined && { user_name: userName }),
    requests: group.requests,
    tokens: group.tokens,
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
