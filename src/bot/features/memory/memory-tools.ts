import {
  MAX_MEMORIES,
  MAX_MEMORY_CHARACTERS,
  type Memory,
  type MemorySource,
  rankMemories,
  toMemoryText,
} from '../../../core/memory/index.ts';
import { type ToolContext, ToolError } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ExtendedAnswer, FeatureTool } from '../../framework/answer-extension.ts';
import { toOwnerOfAnswer } from '../../framework/chat-owner.ts';
import { isForeign } from './memory-notes.ts';
import { isMemoryOn } from './memory-owner.ts';
import type { MemoryServices } from './services.ts';

type ToolServices = Pick<MemoryServices, 'admins' | 'conversations' | 'memories'>;

const MAX_CALLS = 10;
/** Number of lines that a failed `forget` proposes. */
const MAX_PROPOSED = 5;

/** Returns the tools by which a model changes the memory of the chat; none if memory is off. */
export function createMemoryTools(deps: ToolServices, answer: ExtendedAnswer): readonly FeatureTool[] {
  if (!isMemoryOn(answer.context)) return [];
  const common = {
    activity: 'remembering',
    maxCalls: MAX_CALLS,
    describeCall: ({ text }: JsonObject) => (typeof text === 'string' ? text : undefined),
    permission: 'after-foreign-text',
    // A permission for the rest of a conversation would be valid for lines that the user has never seen.
    asksEachTime: true,
  } as const;
  const subject = answer.context.isGroup ? 'this group' : 'the user';
  return [
    {
      ...common,
      name: 'remember',
      description:
        `Saves one fact about ${subject} for later conversations. Use it when the user asks to remember something, or tells ` +
        'something lasting that will help later. Never save secrets, nor what only the present conversation needs. ' +
        'Afterwards say in a few words what you have saved.',
      parameters: toParameters(
        `The fact as one self-contained sentence in the user's language, at most ${MAX_MEMORY_CHARACTERS} characters`,
      ),
      async run({ text }, { hasForeignText }) {
        return remember(deps, answer, { text: readText(text), hasForeignText });
      },
    },
    {
      ...common,
      name: 'forget',
      description:
        'Deletes one saved note, when the user asks for it or when it is no longer true. To correct a note, forget it and remember the new one.',
      parameters: toParameters('The note exactly as it was saved'),
      async run({ text }, toolContext) {
        return forget(deps, answer, readText(text), toolContext);
      },
    },
  ];
}

function toParameters(description: string): JsonObject {
  return { type: 'object', properties: { text: { type: 'string', description } }, required: ['text'] };
}

function readText(value: unknown): string {
  const text = typeof value === 'string' ? toMemoryText(value) : '';
  if (text === '') throw new ToolError('the text is missing');
  if ([...text].length > MAX_MEMORY_CHARACTERS)
    throw new ToolError(`the text is longer than ${MAX_MEMORY_CHARACTERS} characters`);
  return text;
}

async function remember(
  deps: ToolServices,
  answer: ExtendedAnswer,
  written: Pick<Memory, 'text' | 'hasForeignText'>,
): Promise<string> {
  const { context, question } = answer;
  const authorId = question.userId ?? context.user.id;
  const source = await findSource(deps, answer);
  const added = await deps.memories.add(toOwnerOfAnswer(context), { ...written, authorId, source });
  if (added === 'full')
    throw new ToolError(`the limit of ${MAX_MEMORIES} notes is reached; the user can delete some by /memory`);
  if (added === 'off') throw new ToolError('memory is switched off');
  return added === 'known' ? 'It was saved already.' : `Saved: ${added.text}`;
}

/** Returns the Telegram message of the question. */
async function findSource(
  { conversations }: ToolServices,
  { context: { chatTopic }, question }: ExtendedAnswer,
): Promise<MemorySource | undefined> {
  const { chatId } = chatTopic;
  const [telegramMessageId] = await conversations.listShownIn({ answerId: question.id, chatId });
  return telegramMessageId === undefined ? undefined : { chatId, telegramMessageId };
}

async function forget(
  { admins, memories }: ToolServices,
  { context }: ExtendedAnswer,
  text: string,
  { recordForeignText }: Pick<ToolContext, 'recordForeignText'>,
): Promise<string> {
  const owner = toOwnerOfAnswer(context);
  const memory = await memories.findByText(owner, text);
  if (!memory) {
    const similar = rankMemories(await memories.list(owner), text).slice(0, MAX_PROPOSED);
    if (similar.some((one) => isForeign(one, context))) recordForeignText();
    throw new ToolError(['no note has exactly this text', ...similar.map((one) => one.text)].join('\n'));
  }
  const { telegramId } = context.user;
  const mayDelete =
    'userId' in owner ||
    memory.authorId === context.user.id ||
    (telegramId !== undefined && (await admins.has(owner.groupId, telegramId)));
  if (!mayDelete) throw new ToolError('only its author and admins of the group may delete this note');
  await memories.remove(owner, memory.id);
  return `Deleted: ${memory.text}`;
}
