import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { readSmallJson } from '../../../../lib/json/read-json.ts';
import type { ChatMessage, ToolCall } from '../../contract/chat-message.ts';
import { UntranslatableError } from '../untranslatable-error.ts';
import { toBlocks } from './content-blocks.ts';
import { restoreBlocks } from './kept-blocks.ts';

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
 * Converts messages. System messages go to the front, wherever they are. Messages of the same role are joined, and so
 * are tool results, which belong to the user's turn.
 * @throws UntranslatableError
 */
export function toTurns(messages: readonly ChatMessage[]): Turns {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const add = (role: Turn['role'], blocks: readonly JsonObject[]) => {
    const last = turns.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else if (blocks.length > 0) turns.push({ role, content: [...blocks] });
  };
  let lacksThinking = false;
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        system.push(...toBlocks(message.content));
        break;
      case 'user':
        add('user', toBlocks(message.content));
        break;
      case 'tool':
        add('user', [toToolResult(message)]);
        break;
      case 'assistant': {
        // Newer models refuse older thinking after any change of the messages before it, which clients make when they
        // shorten a conversation. It is required only while tools are called for the last question.
        const calls = (message.toolCalls ?? []).map(toToolUse);
        const restored = index > lastQuestion ? restoreBlocks(message, calls) : undefined;
        lacksThinking ||= index > lastQuestion && calls.length > 0 && restored === undefined;
        add('assistant', restored ?? [...toBlocks(message.content), ...calls]);
        break;
      }
    }
  }
  return { system, messages: turns, lacksThinking };
}

function toToolUse({ id, name, arguments: argumentsText }: ToolCall): JsonObject {
  const input = argumentsText.trim() === '' ? {} : readSmallJson(argumentsText);
  if (!isJsonObject(input))
    throw new UntranslatableError('messages', `The arguments of the tool call '${id}' are not a JSON object.`);
  return { type: 'tool_use', id: toId(id), name, input };
}

function toToolResult({ toolCallId, content }: Extract<ChatMessage, { readonly role: 'tool' }>): JsonObject {
  const blocks = toBlocks(content);
  return { type: 'tool_result', tool_use_id: toId(toolCallId), ...(blocks.length > 0 ? { content: blocks } : {}) };
}

/** Other hosts use characters in ids that the API refuses. */
function toId(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}
