import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import type { TokenUsage } from '../../chat-model.ts';

/** The `choices` of a completion or chunk that are objects. */
export function choicesOf(body: JsonObject): readonly JsonObject[] {
  return Array.isArray(body.choices) ? body.choices.filter(isJsonObject) : [];
}

/** The last finish reason among the choices; undefined while none has ended. */
export function finishReasonOf(body: JsonObject): string | undefined {
  const reason = choicesOf(body).findLast(isFinished)?.finish_reason;
  return typeof reason === 'string' ? reason : undefined;
}

/** True where a choice has its finish reason. */
export function isFinished({ finish_reason: reason }: JsonObject): boolean {
  return typeof reason === 'string' && reason !== '';
}

/**
 * Token counts of a completion or chunk; undefined where the host gives none, or one that can't be true: negative, no number, more than
 * any model produces. Groq puts those of a stream under `x_groq`.
 */
export function usageOf(body: JsonObject): TokenUsage | undefined {
  const usage = body.usage ?? (isJsonObject(body.x_groq) ? body.x_groq.usage : undefined);
  if (!isJsonObject(usage)) return undefined;
  const [prompt, completion, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(toCount);
  if (prompt === 'wrong' || completion === 'wrong' || total === 'wrong') return undefined;
  if (prompt === undefined && total === undefined) return undefined;
  return { promptTokens: prompt ?? 0, completionTokens: completion ?? Math.max(0, (total ?? 0) - (prompt ?? 0)) };
}

/** Above the longest context of any model by far. */
const MAX_TOKENS = 1_000_000_000;

function toCount(value: unknown): number | 'wrong' | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.round(value) : 'wrong';
}

/** True where a choice of the chunk brings something: text, reasoning, a refusal, a part of a tool call. */
export function hasDelta(chunk: JsonObject): boolean {
  return choicesOf(chunk).some(
    ({ delta }) =>
      isJsonObject(delta) &&
      Object.entries(delta).some(
        ([field, value]) => field !== 'role' && value !== null && value !== '' && !isEmpty(value),
      ),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The chunks that say the same as a whole completion, for hosts that answer a stream request in one piece. */
export function toChunks(completion: JsonObject, wantsUsage: boolean): readonly JsonObject[] {
  const head = {
    id: completion.id,
    object: 'chat.completion.chunk',
    created: completion.created,
    model: completion.model,
  };
  const choices = choicesOf(completion).map((choice) => ({
    index: choice.index ?? 0,
    delta: toDelta(choice.message),
    finish_reason: choice.finish_reason ?? 'stop',
  }));
  const usage = isJsonObject(completion.usage) && wantsUsage ? [{ ...head, choices: [], usage: completion.usage }] : [];
  return [{ ...head, choices }, ...usage];
}

function toDelta(message: unknown): JsonObject {
  if (!isJsonObject(message)) return {};
  if (!Array.isArray(message.tool_calls)) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call, index) => (isJsonObject(call) ? { index, ...call } : call)),
  };
}
