import { type AssistantMessage, type ChatMessage, type ContentPart, listTexts } from '../../contract/chat-message.ts';

/**
 * Describes earlier tool calls and their results in words: Bedrock accepts them only in requests with tools, and it has
 * no choice that forbids calls.
 */
export function withoutToolCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant') {
      for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
      return describeCalls(message);
    }
    return message.role === 'tool' ? describeResult(message, names.get(message.toolCallId)) : message;
  });
}

function describeCalls({ toolCalls = [], ...message }: AssistantMessage): ChatMessage {
  if (toolCalls.length === 0) return message;
  const calls = toolCalls.map(
    ({ name, arguments: argumentsText }) => `[Called the tool ${name} with ${argumentsText}]`,
  );
  return { role: 'assistant', content: [...listTexts(message.content).filter(Boolean), ...calls].join('\n\n') };
}

function describeResult(
  { content }: Extract<ChatMessage, { readonly role: 'tool' }>,
  name = 'without a name',
): ChatMessage {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role: 'user', content: [{ type: 'text', text: `[Result of the tool ${name}]` }, ...parts] };
}
