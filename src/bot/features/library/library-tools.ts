import type { FoundEntry, LibraryEntry } from '../../../core/library/index.ts';
import { type ToolContext, ToolError } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import type { Answer } from '../../answers/answer.ts';
import { findMessageLink, toOwnerOfAnswer } from '../../kit/chats.ts';
import type { FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';

const MAX_CALLS = 10;
const RESULTS_PER_PAGE = 6;
const MAX_PAGE = 9;
const SNIPPET_UNITS = 500;
/** Part of a text in one result. */
const PART_UNITS = 8000;

/** Returns the tools that search and read the library of the user, or of the group in which the answer is written. */
export function createLibraryTools(services: BotServices, answer: Answer): readonly FeatureTool[] {
  const owner = toOwnerOfAnswer(answer.context);
  const common = { activity: 'searching', isReadOnly: true, hasForeignResults: true, maxCalls: MAX_CALLS } as const;
  const addSource = async ({ addSource: add }: ToolContext, entry: LibraryEntry) => {
    const url = await findEntryLink(services, answer, entry);
    if (url !== undefined) add({ url, title: entry.title ?? url });
  };
  return [
    {
      ...common,
      name: 'search_library',
      description: `Searches ${answer.context.isGroup ? 'earlier conversations with you in this group, and the documents and recordings in them' : "the user's earlier conversations with you, documents, recordings and stored files"}. Use it when the user refers to something from before that is not in this conversation. Links to the results are listed below your answer by themselves.`,
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'A few distinctive words, in the language of the text to be found' },
          page: { type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'Page of results. Default 1' },
        },
        required: ['query'],
      },
      describeCall: ({ query }) => (typeof query === 'string' ? query : undefined),
      async run(parameters, context) {
        const query = readQuery(parameters);
        const page = Math.min(MAX_PAGE, Math.max(1, Math.round(Number(parameters['page'] ?? 1)) || 1));
        const range = { offset: (page - 1) * RESULTS_PER_PAGE, limit: RESULTS_PER_PAGE, snippetUnits: SNIPPET_UNITS };
        // The question itself contains the words, and the conversation since is known.
        const by = { userId: answer.context.user.id, beforeMessageId: answer.question.id };
        const found = await services.library.search(owner, query, { ...range, ...by });
        if (found.entries.length === 0) return 'Nothing was found.';
        for (const entry of found.entries) await addSource(context, entry);
        const last = range.offset + found.entries.length;
        const heading = `Results ${range.offset + 1} to ${last} of ${found.totalCount}. read_library returns more of one.`;
        return [heading, ...found.entries.map(toLine)].join('\n');
      },
    },
    {
      ...common,
      name: 'read_library',
      description: 'Returns the text of a result of search_library, in parts.',
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'The id of the result' },
          offset: { type: 'integer', minimum: 0, description: 'Position in the text to read from. Default 0' },
        },
        required: ['id'],
      },
      async run({ id, offset: wanted }, context) {
        const offset = Math.max(0, Math.round(Number(wanted ?? 0)) || 0);
        const found =
          typeof id === 'string' ? await services.library.read(owner, id, { offset, units: PART_UNITS }) : undefined;
        if (!found) throw new ToolError('there is no entry with this id');
        await addSource(context, found.entry);
        const { text, remaining } = found;
        if (text === '') return 'This entry has no text here, only its name.';
        const rest =
          remaining > 0
            ? `${remaining} characters follow, from offset ${offset + text.length}.`
            : 'The text ends here.';
        return `${toLine({ ...found.entry, snippet: { text, marks: [] } })}\n${rest}`;
      },
    },
  ];
}

const MAX_QUERY_CHARACTERS = 400;

function readQuery({ query }: JsonObject): string {
  const text = typeof query === 'string' ? query.trim() : '';
  if (text === '') throw new ToolError('the query is missing');
  if (text.length > MAX_QUERY_CHARACTERS)
    throw new ToolError(`the query is longer than ${MAX_QUERY_CHARACTERS} characters`);
  return text;
}

/** Returns an entry as one line of JSON, whose text can't be mistaken for other results. */
function toLine({ id, key, role, sentAt, title, snippet }: FoundEntry): string {
  const kind =
    key.kind === 'message' ? (role === 'user' ? 'question' : 'answer') : key.kind === 'file' ? 'file' : 'document';
  return JSON.stringify({ id, kind, date: sentAt.toISOString().slice(0, 10), title, text: snippet.text });
}

/** Returns a link to an entry; undefined for messages of basic groups, which have none. */
async function findEntryLink(
  services: BotServices,
  { context }: Answer,
  { id, shownIn }: LibraryEntry,
): Promise<string | undefined> {
  if (!context.isGroup) return toStartLink(services, { username: await services.findUsername() }, 'found', id);
  return shownIn && findMessageLink(shownIn.chatId, shownIn.telegramMessageId);
}
