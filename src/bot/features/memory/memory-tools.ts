import {
  MAX_MEMORIES,
  MAX_MEMORY_CHARACTERS,
  type Memory,
  type MemorySource,
  rankMemories,
  toMemoryText,
} from '../../../core/memory/index.ts';
import { type ToolContext, ToolError } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Answer } from '../../answers/answer.ts';
import { readOwnWords } from '../../inputs/foreign-text.ts';
import { toOwnerOfAnswer } from '../../kit/chats.ts';
import type { FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { isMemoryOn } from './memory-access.ts';
import { isForeign } from './memory-notes.ts';
import { texts } from './texts.ts';

const MAX_CALLS = 10;

/** Returns the tools by which a model changes the memory of the chat; none if memory is off. */
export function createMemoryTools(services: BotServices, answer: Answer): readonly FeatureTool[] {
  if (!isMemoryOn(answer.context)) return [];
  const common = {
    activity: 'remembering',
    maxCalls: MAX_CALLS,
    describeCall: ({ text }: JsonObject) => (typeof text === 'string' ? text : undefined),
    permission: 'after-foreign-text',
    // A permission for the rest of a conversation would be valid for lines that the user has never seen.
    asksEachTime: true,
  } as const;
  const { permission } = texts[answer.context.texts.locale];
  const isOwn = ({ text }: JsonObject) => typeof text === 'string' && isInOwnWords(toMemoryText(text), answer);
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
      isInWordsOfUser: isOwn,
      toQuestion: ({ text }) => ({ ...permission.remember, details: [String(text ?? '')] }),
      async run({ text }, { hasForeignText }) {
        return remember(services, answer, { text: readText(text), hasForeignText: hasForeignText && !isOwn({ text }) });
      },
    },
    {
      ...common,
      name: 'forget',
      description:
        'Deletes one saved note, when the user asks for it or when it is no longer true. To correct a note, forget it and remember the new one.',
      parameters: toParameters('The note exactly as it was saved'),
      toQuestion: ({ text }) => ({ ...permission.forget, details: [String(text ?? '')] }),
      async run({ text }, toolContext) {
        return forget(services, answer, readText(text), toolContext);
      },
    },
  ];
}

/** Letter of a script that writes spaces between words. */
const SPACED = String.raw`[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]]`;
const WORD_BEFORE = new RegExp(`${SPACED}$`, 'v');
const WORD_AFTER = new RegExp(`^${SPACED}`, 'v');

/** Returns whether the user has written this note, as whole words, in the message that is answered. */
function isInOwnWords(note: string, { context, question }: Answer): boolean {
  const words = toComparable(note).replace(/(?<![\s.!?。])[\s.!?。]+$/u, '');
  if (words === '') return false;
  const own = toComparable(readOwnWords(question, context.user.id));
  for (let start = own.indexOf(words); start >= 0; start = own.indexOf(words, start + 1)) {
    const end = start + words.length;
    // A character has at most two UTF-16 units.
    const isPart =
      WORD_BEFORE.test(own.slice(Math.max(0, start - 2), start)) || WORD_AFTER.test(own.slice(end, end + 2));
    if (!isPart) return true;
  }
  return false;
}

function toComparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
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
  services: BotServices,
  answer: Answer,
  written: Pick<Memory, 'text' | 'hasForeignText'>,
): Promise<string> {
  const { context, question } = answer;
  const authorId = question.userId ?? context.user.id;
  const source = await findSource(services, answer);
  const added = await services.memories.add(toOwnerOfAnswer(context), { ...written, authorId, source });
  if (added === 'full')
    throw new ToolError(`the limit of ${MAX_MEMORIES} notes is reached; the user can delete some by /memory`);
  if (added === 'off') throw new ToolError('memory is switched off');
  return added === 'known' ? 'It was saved already.' : `Saved: ${added.text}`;
}

/** Returns the Telegram message of the question. */
async function findSource(
  { conversations }: BotServices,
  { context: { chatTopic }, question }: Answer,
): Promise<MemorySource | undefined> {
  const { chatId } = chatTopic;
  const [telegramMessageId] = await conversations.listShownIn({ answerId: question.id, chatId });
  return telegramMessageId === undefined ? undefined : { chatId, telegramMessageId };
}

/** Number of lines that a failed `forget` proposes. */
const MAX_PROPOSED = 5;

async function forget(
  { admins, memories }: BotServices,
  { context }: Answer,
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
