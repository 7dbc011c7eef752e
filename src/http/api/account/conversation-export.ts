import {
  type ConversationRecord,
  type ListedConversation,
  type RecordedMessage,
  toConversationChunks,
} from '../../../core/conversations/index.ts';
import { toOneLine } from '../../../lib/one-line.ts';
import { toConversation, toConversationMessage } from './conversation-fields.ts';

export const EXPORT_FORMATS = ['markdown', 'json'] as const;

/** A conversation as a file, with all its branches. */
interface ConversationExport {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: AsyncGenerator<string, void>;
}

/** Characters of a chunk: encoding them blocks the thread for less than a millisecond. */
const CHUNK_CHARACTERS = 100_000;

export function toConversationExport(
  conversation: ListedConversation,
  record: ConversationRecord,
  format: (typeof EXPORT_FORMATS)[number],
): ConversationExport {
  const name = `conversation-${conversation.id}`;
  if (format === 'json') {
    const head = { ...toConversation(conversation), is_complete: record.isComplete };
    const chunks = toLongChunks(toJsonChunks(head, record.messages));
    return { name: `${name}.json`, mediaType: 'application/json', chunks };
  }
  const title = conversation.title ?? (toOneLine(conversation.firstWords) || `Conversation ${conversation.id}`);
  const chunks = toLongChunks(toConversationChunks({ ...record, title }, 'You'));
  return { name: `${name}.md`, mediaType: 'text/markdown', chunks };
}

/** Formats an object with a list of messages as its last field. */
function* toJsonChunks(head: object, messages: readonly RecordedMessage[]): Generator<string, void> {
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "messages": [`;
  for (const [at, message] of messages.entries()) {
    const fields = { ...toConversationMessage(message), parent_id: message.parentId };
    yield `${at === 0 ? '' : ','}\n    ${JSON.stringify(fields)}`;
  }
  yield '\n  ]\n}\n';
}

/** Joins short chunks, because each is sent on its own. */
async function* toLongChunks(chunks: Iterable<string>): AsyncGenerator<string, void> {
  let text = '';
  for (const chunk of chunks) {
    text += chunk.toWellFormed();
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
