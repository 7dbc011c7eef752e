import type { AssistantMessage, ChatMessage, ToolCall } from '../../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { invalidRequest } from '../../http-error.ts';
import type { TokenReasoning } from '../reasoning-token.ts';
import type { InputItem } from './read-items.ts';

type OpenCall = ToolCall & { readonly path: string };

/** The assistant message that consecutive items of the model form. */
interface Turn {
  text: string;
  reasoning: string;
  readonly calls: OpenCall[];
  /** As in `TokenReasoning`. */
  readonly extraContent: Map<string, JsonObject>;
}

/**
 * Converts items to messages. Consecutive items of the model form one message, and each tool result follows the message
 * with its call, wherever it is in `items`.
 * @throws HttpError 400 for a call without result, or a result without call.
 */
export function toConversation(items: readonly InputItem[]): readonly ChatMessage[] {
  const results = collectResults(items);
  const messages: ChatMessage[] = [];
  let turn: Turn | undefined;
  const endTurn = () => {
    // Hosts refuse empty messages.
    if (turn && (turn.text !== '' || turn.calls.length > 0)) {
      messages.push(toAssistantMessage(turn), ...takeResults(turn.calls, results));
    }
    turn = undefined;
  };
  const beginTurn = (): Turn => {
    turn ??= { text: '', reasoning: '', calls: [], extraContent: new Map() };
    return turn;
  };
  const leadsToCall = findWaysToCalls(items);
  for (const [index, item] of items.entries()) {
    const isNext = turn !== undefined && turn.text !== '' && turn.calls.length === 0;
    switch (item.type) {
      case 'reasoning':
        if (isNext && !leadsToCall[index]) endTurn();
        addReasoning(beginTurn(), item);
        break;
      case 'assistant':
        if (isNext && (!leadsToCall[index] || items[index - 1]?.type === 'assistant')) endTurn();
        addParagraph(beginTurn(), 'text', item.text);
        break;
      case 'call':
        beginTurn().calls.push({ ...item.call, path: item.path });
        break;
      case 'result':
        endTurn();
        break;
      case 'user':
        endTurn();
        messages.push({ role: 'user', content: item.content });
        break;
      case 'system':
        endTurn();
        messages.push({ role: 'system', content: item.text });
        break;
    }
  }
  endTurn();
  const [unused] = [...results.values()].flat();
  if (unused) {
    const path = `${unused.path}.call_id`;
    throw invalidRequest(`'${path}' names a tool call that is not in the conversation: '${unused.callId}'.`, path);
  }
  return messages;
}

/**
 * Returns of each item whether a call follows before anything that the model has not written: what the model has said and
 * thought by turns before it calls a tool is one answer.
 */
function findWaysToCalls(items: readonly InputItem[]): readonly boolean[] {
  let leadsToCall = false;
  const found = items.toReversed().map(({ type }) => {
    if (type === 'call') leadsToCall = true;
    else if (type === 'result' || type === 'user' || type === 'system') leadsToCall = false;
    return leadsToCall;
  });
  return found.reverse();
}

function addReasoning(turn: Turn, { text, extraContent }: TokenReasoning): void {
  if (text !== '') addParagraph(turn, 'reasoning', text);
  for (const [callId, extra] of extraContent) turn.extraContent.set(callId, extra);
}

function addParagraph(turn: Turn, field: 'text' | 'reasoning', text: string): void {
  turn[field] = turn[field] === '' ? text : `${turn[field]}\n\n${text}`;
}

function toAssistantMessage({ text, reasoning, calls, extraContent }: Turn): AssistantMessage {
  const toolCalls = calls.map(({ path: _path, ...call }): ToolCall => {
    const extra = extraContent.get(call.id);
    return extra ? { ...call, native: { extra_content: extra } } : call;
  });
  return {
    role: 'assistant',
    content: text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

type ResultItem = Extract<InputItem, { readonly type: 'result' }>;

/** Returns the results by the id of their call. Some hosts use the same ids in every answer. */
function collectResults(items: readonly InputItem[]): Map<string, ResultItem[]> {
  const results = new Map<string, ResultItem[]>();
  for (const item of items) {
    if (item.type !== 'result') continue;
    const known = results.get(item.callId);
    if (known) known.push(item);
    else results.set(item.callId, [item]);
  }
  return results;
}

function takeResults(calls: readonly OpenCall[], results: Map<string, ResultItem[]>): readonly ChatMessage[] {
  return calls.map(({ id, path }) => {
    const result = results.get(id)?.shift();
    if (!result) throw invalidRequest(`No output was found for the tool call '${id}'.`, path);
    return { role: 'tool', toolCallId: id, content: result.content };
  });
}
