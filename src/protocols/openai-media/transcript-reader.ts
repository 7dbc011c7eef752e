import type { ChatPart } from '../../core/models/contract/chat-answer.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { readMediaUsage } from '../openai-chat/read-usage.ts';
import type { EventReader } from '../stream/event-reader.ts';

/** Creates a reader of the events of OpenAI's `/audio/transcriptions`. */
export function createTranscriptReader(): EventReader {
  let isComplete = false;
  return {
    get isComplete() {
      return isComplete;
    },
    read(event) {
      const { type } = event;
      if (typeof type !== 'string' || !type.startsWith('transcript.')) return undefined;
      if (type !== 'transcript.text.done') return { parts: toDelta(event) };
      isComplete = true;
      return { parts: [...toUsage(event), { type: 'finish', choice: 0, reason: 'stop' }], isLast: true };
    },
  };
}

function toDelta({ delta }: JsonObject): readonly ChatPart[] {
  return typeof delta === 'string' ? [{ type: 'text-delta', choice: 0, text: delta }] : [];
}

function toUsage(event: JsonObject): readonly ChatPart[] {
  const usage = readMediaUsage(event);
  return usage ? [{ type: 'usage', usage }] : [];
}
