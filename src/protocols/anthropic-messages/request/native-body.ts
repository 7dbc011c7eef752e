import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { CallIds } from '../../call-ids.ts';
import type { OptionalParameter } from '../../optional-parameter.ts';
import { CALL_IDS, isForeignThinking, isWhite } from '../vendor-rules.ts';

/**
 * Returns the body of a Messages client without what Anthropic refuses after an answer of another host. Everything else
 * stays as it is.
 * @param keepsForeignThinking whether the host gets thinking back that Anthropic did not sign.
 */
export function toAcceptedBody(body: JsonObject, keepsForeignThinking: boolean): JsonObject {
  const messages = Array.isArray(body.messages) ? toAcceptedMessages(body.messages, keepsForeignThinking) : undefined;
  const accepted = messages === body.messages ? body : { ...body, messages };
  return withoutBlankTexts(keepsForeignThinking ? accepted : unlessLacking(accepted));
}

/** Changes for other hosts that turn out to be as strict about thinking as Anthropic. */
export const THINKING_FALLBACK: OptionalParameter = {
  name: 'thinking of earlier answers',
  ways: [{}, (body) => toAcceptedBody(body, false), unlessLacking],
  about: [
    undefined,
    /invalid.{0,20}signature|\bsignature.{0,40}(field required|input should|invalid)/i,
    /expected.{0,20}thinking/i,
  ],
  isRequired: true,
};

/** Turns thinking off if it is refused without that of the answer whose tools were called. */
export function unlessLacking(body: JsonObject): JsonObject {
  return lacksThinking(body) ? withoutThinking(body) : body;
}

function toAcceptedMessages(messages: readonly unknown[], keepsForeignThinking: boolean): readonly unknown[] {
  const ids = new CallIds(CALL_IDS);
  const last = messages.length - 1;
  const accepted = messages.flatMap((message: unknown, index): readonly unknown[] => {
    if (!isJsonObject(message)) return [message];
    const isEnd = index === last && message.role === 'assistant';
    const content = withValidIds(withoutRefused(message.content, keepsForeignThinking, isEnd), ids);
    if (content === message.content) return [message];
    // The last question must not disappear: the host says what is wrong with it.
    if (content.length === 0) return index === last && !isEnd ? [message] : [];
    return [{ ...message, content }];
  });
  return accepted.length === messages.length && accepted.every((message, index) => message === messages[index])
    ? messages
    : accepted;
}

type MessageContent = string | readonly unknown[];

/** Leaves out blocks that are refused. Returns the same content if there are none. */
function withoutRefused(content: unknown, keepsForeignThinking: boolean, isEnd: boolean): MessageContent {
  if (typeof content === 'string') return isWhite(content) ? '' : isEnd ? content.trimEnd() : content;
  if (!Array.isArray(content)) return [];
  const isRefused = (block: unknown) =>
    isJsonObject(block) && (isBlankText(block) || (!keepsForeignThinking && isForeignThinking(block)));
  const kept = content.some(isRefused) ? content.filter((block) => !isRefused(block)) : content;
  const end: unknown = isEnd ? kept.at(-1) : undefined;
  const text = isJsonObject(end) && end.type === 'text' && typeof end.text === 'string' ? end.text : '';
  return text === text.trimEnd() ? kept : kept.with(-1, { ...(end as JsonObject), text: text.trimEnd() });
}

function isBlankText({ type, text }: JsonObject): boolean {
  return type === 'text' && typeof text === 'string' && isWhite(text);
}

/** Gives calls distinct ids, and their results the same. Returns the same content if all are valid. */
function withValidIds(content: MessageContent, ids: CallIds): MessageContent {
  if (typeof content === 'string') return content;
  const blocks = content.filter(isJsonObject);
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  if (calls.length > 0) {
    const valid = ids.addCalls(calls.map(({ id }) => String(id)));
    if (calls.every(({ id }, index) => id === valid[index])) return content;
    const idOf = new Map<unknown, string | undefined>(calls.map((block, index) => [block, valid[index]]));
    return content.map((block) => (idOf.has(block) ? { ...(block as JsonObject), id: idOf.get(block) } : block));
  }
  let isChanged = false;
  const results = content.map((block: unknown) => {
    if (!isJsonObject(block) || block.type !== 'tool_result') return block;
    const id = ids.takeResult(String(block.tool_use_id));
    const inner = withoutRefused(block.content ?? [], true, false);
    const isSame = id === block.tool_use_id && (inner === block.content || block.content === undefined);
    if (isSame) return block;
    isChanged = true;
    const { content: _content, ...fields } = block;
    return { ...fields, tool_use_id: id, ...(inner.length > 0 ? { content: inner } : {}) };
  });
  return isChanged ? results : content;
}

/** Returns whether a budget of thinking is refused, because the answer whose tools were called has no thinking. */
function lacksThinking({ thinking, messages }: JsonObject): boolean {
  if (!isJsonObject(thinking) || thinking.type !== 'enabled' || !Array.isArray(messages)) return false;
  const answer: unknown = messages.findLast((message) => isJsonObject(message) && message.role === 'assistant');
  if (!isJsonObject(answer) || answer === messages.at(-1) || !Array.isArray(answer.content)) return false;
  const [first] = answer.content;
  const hasCall = answer.content.some((block) => isJsonObject(block) && block.type === 'tool_use');
  return hasCall && !(isJsonObject(first) && String(first.type).endsWith('thinking'));
}

/** Also leaves out the edit of the context that requires thinking. */
function withoutThinking({ thinking: _thinking, context_management: management, ...body }: JsonObject): JsonObject {
  if (!isJsonObject(management) || !Array.isArray(management.edits))
    return management === undefined ? body : { ...body, context_management: management };
  const edits = management.edits.filter(
    (edit) => !isJsonObject(edit) || !String(edit.type).startsWith('clear_thinking'),
  );
  return edits.length === 0 ? body : { ...body, context_management: { ...management, edits } };
}

function withoutBlankTexts(body: JsonObject): JsonObject {
  const { system, stop_sequences: stops } = body;
  const acceptedSystem = system === undefined || system === null ? system : withoutRefused(system, true, false);
  const acceptedStops = withoutBlankStops(stops);
  if (acceptedSystem === system && acceptedStops === stops) return body;
  const { system: _system, stop_sequences: _stops, ...fields } = body;
  return {
    ...fields,
    ...(acceptedSystem && acceptedSystem.length > 0 ? { system: acceptedSystem } : {}),
    ...(Array.isArray(acceptedStops) && acceptedStops.length > 0 ? { stop_sequences: acceptedStops } : {}),
  };
}

function withoutBlankStops(stops: unknown): unknown {
  const isRefused = (stop: unknown) => typeof stop === 'string' && isWhite(stop);
  return Array.isArray(stops) && stops.some(isRefused) ? stops.filter((stop) => !isRefused(stop)) : stops;
}
