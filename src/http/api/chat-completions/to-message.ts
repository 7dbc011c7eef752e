import type { ChatMessage, Content, ContentPart, ToolCall } from '../../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { RequestMessage } from './chat-request-schema.ts';

/** Translates a message; its role is in lower case. */
export function toMessage(message: RequestMessage): ChatMessage {
  const content = toContent(message.content);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'tool':
    case 'function':
      return { role: 'tool', toolCallId: String(message['tool_call_id'] ?? message['name'] ?? ''), content };
    case 'assistant': {
      const reasoning = toText(message['reasoning_content']);
      return { role: 'assistant', content, reasoning, toolCalls: toToolCalls(message['tool_calls']) };
    }
    default:
      return { role: 'user', content };
  }
}

function toContent(content: RequestMessage['content']): Content {
  if (!content) return '';
  return typeof content === 'string' ? content : content.map(toPart);
}

function toPart(part: JsonObject): ContentPart {
  const { type, text, image_url: image } = part;
  const { url, detail }: JsonObject = isJsonObject(image) ? image : { url: image };
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image_url' && typeof url === 'string') return { type: 'image', url, detail: toText(detail) };
  const file = type === 'file' && isJsonObject(part['file']) ? part['file'] : {};
  if (typeof file['file_data'] === 'string') {
    return { type: 'file', url: file['file_data'], name: toText(file['filename']) };
  }
  return { type: 'other', native: part };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toToolCalls(calls: unknown): readonly ToolCall[] | undefined {
  if (!Array.isArray(calls)) return undefined;
  return calls.filter(isJsonObject).map(({ id, type: _type, function: called, ...native }) => {
    const { name, arguments: written } = isJsonObject(called) ? called : {};
    return { id: String(id ?? ''), name: String(name ?? ''), arguments: String(written ?? ''), native };
  });
}
