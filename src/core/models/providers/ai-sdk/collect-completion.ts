import type { ChatCompletion, ChatStream, Source } from '../../chat-answer.ts';
import type { ToolCall } from '../../chat-message.ts';

/** Reads a stream with one choice to its end. @throws the errors of the stream. */
export async function collectCompletion(stream: ChatStream): Promise<ChatCompletion> {
  let text = '';
  let reasoning = '';
  let stopSequence: string | undefined;
  const toolCalls: ToolCall[] = [];
  const sources: Source[] = [];
  for await (const { parts } of stream) {
    for (const part of parts) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'reasoning-delta') reasoning += part.text;
      if (part.type === 'source') sources.push(part.source);
      if (part.type === 'finish') stopSequence = part.stopSequence;
      if (part.type === 'tool-call-delta') {
        const { index = toolCalls.length, id = '', name = '', native, arguments: fragment } = part;
        const call = toolCalls[index] ?? { id, name, native, arguments: '' };
        toolCalls[index] = { ...call, arguments: call.arguments + fragment };
      }
    }
  }
  const { outcome } = stream;
  const choice = {
    text,
    reasoning: reasoning || undefined,
    toolCalls,
    sources: sources.length > 0 ? sources : undefined,
    finishReason: outcome.finishReason ?? 'stop',
    stopSequence,
  };
  return { choices: [choice], outcome };
}
