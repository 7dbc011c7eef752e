import type { TokenUsage } from '../../core/models/contract/chat-outcome.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { readReportedCost } from '../read-reported-cost.ts';
import { toTokenCount } from '../token-count.ts';

/**
 * Returns the token counts of a completion or chunk. Returns undefined if the host reports none or an invalid one:
 * negative, not a number, more than any model produces; or only `completion_tokens`. Missing `completion_tokens` are
 * derived from the total. Groq reports the counts of a stream in `x_groq`.
 */
export function readUsage(body: JsonObject): TokenUsage | undefined {
  const usage = body.usage ?? (isJsonObject(body.x_groq) ? body.x_groq.usage : undefined);
  if (!isJsonObject(usage)) return undefined;
  const [prompt, completion, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(
    toTokenCount,
  );
  if (prompt === 'wrong' || completion === 'wrong' || total === 'wrong') return undefined;
  if (prompt === undefined && total === undefined) return undefined;
  return {
    promptTokens: prompt ?? 0,
    // Google and xAI count reasoning in the total only.
    completionTokens: Math.max(completion ?? 0, (total ?? 0) - (prompt ?? 0)),
    ...readDetails(usage),
  };
}

/**
 * Reads the parts of the counts. DeepSeek reports cached tokens in `prompt_cache_hit_tokens`, Moonshot in
 * `cached_tokens`, OpenRouter written ones in `cache_write_tokens`.
 */
function readDetails(usage: JsonObject): Partial<TokenUsage> {
  const prompt = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isJsonObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    ...toCounts({
      cachedTokens: prompt.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
      cacheWriteTokens: prompt.cache_write_tokens,
      reasoningTokens: completion.reasoning_tokens,
      audioInputTokens: prompt.audio_tokens,
      audioOutputTokens: completion.audio_tokens,
      imageInputTokens: prompt.image_tokens,
      imageOutputTokens: completion.image_tokens,
    }),
    ...toReportedCost(usage),
  };
}

/**
 * Returns the token counts of OpenAI's images and transcription endpoints, which name them `input_tokens` and
 * `output_tokens`, else those under the names of chat completions. A cost without counts is returned with counts of 0.
 */
export function readMediaUsage(body: JsonObject): TokenUsage | undefined {
  const { usage } = body;
  if (!isJsonObject(usage)) return undefined;
  const [input, output] = [usage.input_tokens, usage.output_tokens].map(toTokenCount);
  if (typeof input !== 'number' || typeof output !== 'number') {
    const reportedCost = toReportedCost(usage);
    const withoutCounts = reportedCost.costUsd === undefined ? undefined : { promptTokens: 0, completionTokens: 0 };
    return readUsage(body) ?? (withoutCounts && { ...withoutCounts, ...reportedCost });
  }
  const inputDetails = [usage.input_tokens_details, usage.input_token_details].find(isJsonObject) ?? {};
  const outputDetails = isJsonObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    promptTokens: input,
    completionTokens: output,
    ...toCounts({
      cachedTokens: inputDetails.cached_tokens,
      audioInputTokens: inputDetails.audio_tokens,
      imageInputTokens: inputDetails.image_tokens,
      imageOutputTokens: outputDetails.image_tokens,
      reasoningTokens: outputDetails.reasoning_tokens,
    }),
    ...toReportedCost(usage),
  };
}

function toCounts(values: Readonly<Record<string, unknown>>): Partial<TokenUsage> {
  const counts = Object.entries(values).map(([name, value]) => [name, toTokenCount(value)] as const);
  return Object.fromEntries(counts.filter(([, count]) => typeof count === 'number'));
}

function toReportedCost(usage: JsonObject): { readonly costUsd?: number } {
  const costUsd = readReportedCost(usage);
  return costUsd === undefined ? {} : { costUsd };
}
