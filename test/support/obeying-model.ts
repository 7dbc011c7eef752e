import type { ChatRequest } from '../../src/core/models/index.ts';
import { listTexts } from '../../src/core/models/index.ts';
import { type ModelScript, type ScriptedToolCall, toToolCallPart } from './scripted-models.ts';

/** Words that make the obeying model call its tools, wherever it reads them. */
export const ORDER = 'OBEY-NOW';

const MAX_READS = 5;

/**
 * Creates a model that obeys every text: once it has read the order, it makes the calls, as many of them as it has
 * tools for, and then answers `Done.`.
 * @param findRequest returns the request that it answers.
 * @param first calls that it makes before, to read something.
 */
export function createObeyingModel(
  findRequest: () => ChatRequest | undefined,
  calls: readonly ScriptedToolCall[],
  first: readonly ScriptedToolCall[] = [],
): ModelScript {
  return async (write) => {
    const { messages = [], tools = [] } = findRequest() ?? {};
    const question = messages.findLastIndex(({ role }) => role === 'user');
    const made = messages.slice(question).flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
    const hasRead = messages.some(({ content }) => listTexts(content).some((text) => text.includes(ORDER)));
    const hasObeyed = made.some((call) => calls.some((one) => JSON.stringify(one.arguments) === call.arguments));
    // A busy machine may fail to read a page.
    const mayRead = made.length < MAX_READS * first.length;
    const next = hasObeyed ? [] : hasRead ? calls : mayRead ? first : [];
    const offered = next.filter(({ name }) => tools.some((tool) => tool.name === name));
    if (offered.length === 0) {
      write('Done.');
      return 'stop';
    }
    for (const [index, call] of offered.entries()) write('', toToolCallPart(index, call));
    return 'tool_calls';
  };
}
