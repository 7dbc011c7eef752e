import type { ChatMessage, ToolCall } from '../../../core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../../core/models/contract/model-errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { CallIds } from '../../call-ids.ts';
import { readInput } from '../../print-arguments.ts';
import { restoreBlocks } from '../kept-blocks.ts';
import { CALL_IDS, isWhite } from '../vendor-rules.ts';
import { toBlocks, withCacheControl } from './print-blocks.ts';

/** Messages in the form of the Messages API, where user and assistant take turns. */
export interface Turns {
  readonly system: readonly JsonObject[];
  readonly messages: readonly Turn[];
  /** Whether the last question has tool calls whose thinking the client did not send back. */
  readonly lacksThinking: boolean;
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/**
 * Converts messages. System messages go to the front, wherever they are; alone, the last one becomes the user's turn,
 * which the API requires. Messages of the same role are joined, and so are tool results, which belong to the user's turn.
 * @param keepsForeignThinking as for `toAcceptedBody`.
 * @throws UntranslatableError
 */
export function toTurns(messages: readonly ChatMessage[], keepsForeignThinking = false): Turns {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const ids = new CallIds(CALL_IDS);
  const add = (role: Turn['role'], blocks: readonly JsonObject[]) => {
    const last = turns.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else if (blocks.length > 0) turns.push({ role, content: [...blocks] });
  };
  let lacksThinking = false;
  const lastQuestion = findLastQuestion(messages);
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        system.push(...toBlocks(message.content));
        break;
      case 'user':
        add('user', toBlocks(message.content));
        break;
      case 'tool':
        add('user', [toToolResult(message, ids)]);
        break;
      case 'assistant': {
        // Newer models refuse older thinking after any change of the messages before it, which clients make when they
        // shorten a conversation. It is required only while tools are called for the last question.
        const calls = toToolUses(message.toolCalls ?? [], ids);
        const restored = index > lastQuestion ? restoreBlocks(message, calls, keepsForeignThinking) : undefined;
        lacksThinking ||= index > lastQuestion && calls.length > 0 && restored === undefined;
        add('assistant', restored ?? [...toBlocks(message.content), ...calls]);
        break;
      }
    }
  }
  if (messages.at(-1)?.role === 'user' && turns.at(-1)?.role === 'assistant')
    throw new UntranslatableError('messages', 'must end with a message whose text is not white space');
  if (turns.length === 0) add('user', system.splice(-1));
  if (turns.length === 0) throw new UntranslatableError('messages', 'must have a text that is not white space');
  trimEnd(turns);
  return { system, messages: turns, lacksThinking };
}

/**
 * Returns the index of the last message of the user that does not only accompany the results of tool calls, also across
 * messages of white space, which are left out.
 */
function findLastQuestion(messages: readonly ChatMessage[]): number {
  let last = -1;
  let follows: ChatMessage['role'] | undefined;
  for (const [index, message] of messages.entries()) {
    if (isLeftOut(message)) continue;
    const { role } = message;
    if (role === 'user' && follows !== 'tool') last = index;
    if (role === 'tool' || role === 'assistant') follows = role;
  }
  return last;
}

function isLeftOut(message: ChatMessage): boolean {
  if (message.role === 'tool' || (message.role === 'assistant' && message.toolCalls?.length)) return false;
  const { content } = message;
  return typeof content === 'string'
    ? isWhite(content)
    : content.every((part) => part.type === 'text' && isWhite(part.text));
}

/** The API refuses an answer to continue that ends with white space. */
function trimEnd(turns: Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block?.type === 'text') last?.content.splice(-1, 1, { ...block, text: String(block.text).trimEnd() });
}

function toToolUses(calls: readonly ToolCall[], ids: CallIds): readonly JsonObject[] {
  if (calls.length === 0) return [];
  const validIds = ids.addCalls(calls.map(({ id }) => id));
  return calls.map(({ name, arguments: written }, index) => ({
    type: 'tool_use',
    id: validIds[index],
    name,
    input: readInput(written),
  }));
}

function toToolResult(message: Extract<ChatMessage, { readonly role: 'tool' }>, ids: CallIds): JsonObject {
  const { toolCallId, content, cacheControl } = message;
  const blocks = toBlocks(content);
  // Breakpoints belong to the result, not to its texts.
  const { cache_control: inner } = blocks.findLast((block) => block.cache_control !== undefined) ?? {};
  const result = {
    type: 'tool_result',
    tool_use_id: ids.takeResult(toolCallId),
    ...(blocks.length > 0 ? { content: blocks.map(({ cache_control: _cache, ...block }) => block) } : {}),
  };
  return withCacheControl(result, cacheControl ?? inner);
}
