import type { Cached, ChatMessage, Content, ContentPart, ToolCall } from '../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { IMAGE_IN_HISTORY } from '../fields/describe-image.ts';
import type { RequestMessage } from './request-schema.ts';

/** Translates a message; its role is in lower case. */
export function toMessage(message: RequestMessage): ChatMessage {
  const content = toContent(message);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'tool':
    case 'function':
      return {
        role: 'tool',
        toolCallId: String(message['tool_call_id'] ?? message['name'] ?? ''),
        content,
        ...toCached(message),
      };
    case 'assistant': {
      const reasoning = toText(message['reasoning_content']);
      const toolCalls = readToolCalls(message['tool_calls']);
      return { role: 'assistant', content: withOtherContent(content, message), reasoning, toolCalls };
    }
    default:
      return { role: 'user', content };
  }
}

function toContent({ content, role, ...message }: RequestMessage): Content {
  if (!content) return '';
  if (typeof content !== 'string') return content.map(toPart);
  const cached = role === 'tool' ? {} : toCached(message);
  return cached.cacheControl ? [{ type: 'text', text: content, ...cached }] : content;
}

/** Adds what an earlier answer has beside its content, as text: no protocol takes it back. */
function withOtherContent(content: Content, { refusal, images }: JsonObject): Content {
  const added = `${toText(refusal) ?? ''}${Array.isArray(images) && images.length > 0 ? IMAGE_IN_HISTORY : ''}`;
  if (added === '') return content;
  return typeof content === 'string' ? content + added : [...content, { type: 'text', text: added }];
}

function toPart(part: JsonObject): ContentPart {
  const { type, text, image_url: image } = part;
  const { url, detail }: JsonObject = isJsonObject(image) ? image : { url: image };
  const cached = toCached(part);
  if (type === 'text' && typeof text === 'string') return { type, text, ...cached };
  if (type === 'image_url' && typeof url === 'string') return { type: 'image', url, detail: toText(detail), ...cached };
  const file = type === 'file' && isJsonObject(part['file']) ? part['file'] : {};
  if (typeof file['file_data'] === 'string') {
    return { type: 'file', url: file['file_data'], name: toText(file['filename']), ...cached };
  }
  return { type: 'other', native: part };
}

/** Reads Anthropic's `cache_control`, which clients also send in chat completions. */
export function toCached({ cache_control: cacheControl }: JsonObject): Cached {
  return isJsonObject(cacheControl) ? { cacheControl } : {};
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readToolCalls(calls: unknown): readonly ToolCall[] | undefined {
  if (!Array.isArray(calls)) return undefined;
  return calls.filter(isJsonObject).map(({ id, type: _type, function: called, ...native }) => {
    const { name, arguments: written } = isJsonObject(called) ? called : {};
    return { id: String(id ?? ''), name: String(name ?? ''), arguments: String(written ?? ''), native };
  });
}
