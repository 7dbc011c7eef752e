import { once } from '../../lib/async/once.ts';
import { sleep } from '../../lib/clock.ts';
import type { ChatOwner, IndexedWord } from '../conversations/index.ts';
import { countWaiting, countWaitingOf, type WaitingTexts } from './count-waiting.ts';
import type { MeaningDeps } from './embed-texts.ts';
import { parseEntryId, toEntryId } from './entry-id.ts';
import { type FindEntriesDeps, findEntries, type LibraryEntry } from './find-entries.ts';
import { indexChanges } from './indexing/index-changes.ts';
import { createVectorIndex, embedWhileNeeded } from './indexing/index-vectors.ts';
import { type ReadFilesDeps, readNextFile } from './indexing/read-files.ts';
import { readChunkTexts, readText } from './read-texts.ts';
import { findConversations } from './search/find-conversations.ts';
import { mergeRanks } from './search/merge-ranks.ts';
import { createMeaningSearch } from './search/search-by-meaning.ts';
import { type Match, searchChunks } from './search/search-chunks.ts';
import { type Snippet, toSnippets } from './search/snippet.ts';
import { listTerms } from './search/words.ts';

/** Entry that a search has found, with the place that fits best. */
export interface FoundEntry extends LibraryEntry {
  readonly snippet: Snippet;
}

export interface FoundEntries {
  /** One page, best first. */
  readonly entries: readonly FoundEntry[];
  /** Number of entries on all pages, at most `MAX_RESULTS`. */
  readonly totalCount: number;
}

export interface SearchPage {
  readonly offset: number;
  readonly limit: number;
  /** Length of snippets in UTF-16 units. */
  readonly snippetUnits: number;
  /** User who searches. Without one, a group's library is searched by words only. */
  readonly userId?: number | undefined;
  /** Leaves out this message and later ones: the question that the search is for. Default none. */
  readonly beforeMessageId?: number | undefined;
}

/** Part of an entry's text. */
export interface EntryPart {
  readonly entry: LibraryEntry;
  /** Without text, the entry is only known by its name. */
  readonly text: string;
  /** UTF-16 units in the whole text before and after the part. */
  readonly offset: number;
  readonly remaining: number;
}

/**
 * Search over an owner's conversations, documents, transcripts and stored files. Results are looked up with their owner
 * each time, so whatever is deleted is gone at once.
 */
export type Library = ReturnType<typeof createLibrary>;

export interface LibraryDeps extends FindEntriesDeps, ReadFilesDeps {
  /** Default none: the library is searched by words only. */
  readonly meaning?: MeaningDeps | undefined;
}

/** Maximum number of entries that one search finds. */
export const MAX_RESULTS = 50;
/** Several chunks may be of one entry, and some entries may be gone. */
const MAX_CHUNKS = 2 * MAX_RESULTS;
const CHECK_EVERY_MS = 1000;
const RETRY_AFTER_MS = 10_000;
/** Pause after a step, in relation to its duration: leaves time to other work. */
const PAUSE_RATIO = 1;

export function createLibrary(deps: LibraryDeps) {
  const { db, clock, logger } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  const meaning = deps.meaning && createMeaningSearch({ ...deps, ...deps.meaning }, signal);
  const vectors = deps.meaning && createVectorIndex({ ...deps, ...deps.meaning });
  let running: Promise<unknown> = Promise.resolve();

  const listMatches = async (
    owner: ChatOwner,
    query: string,
    { userId, beforeMessageId = Number.POSITIVE_INFINITY }: Pick<SearchPage, 'userId' | 'beforeMessageId'>,
  ) => {
    const searches = await Promise.all([
      searchChunks(db, owner, listTerms(query), MAX_CHUNKS),
      meaning?.search(owner, query, userId) ?? [],
    ]);
    const isEarlier = ({ entry }: Match) => entry.kind === 'file' || entry.messageId < beforeMessageId;
    return mergeRanks(searches.map((matches) => matches.filter(isEarlier)));
  };

  /** Returns an entry; undefined if the id is none, or the owner has no such entry. */
  const find = async (owner: ChatOwner, entryId: string): Promise<LibraryEntry | undefined> => {
    const key = parseEntryId(entryId);
    return key && (await findEntries(deps, owner, [key])).get(entryId);
  };

  /** Repeats a step, which returns the number of texts it has handled. */
  const repeat = async (step: (ending: AbortSignal) => Promise<number>) => {
    while (!signal.aborted) {
      const beganAt = performance.now();
      const handled = await step(signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, 'texts could not be indexed; they are tried again');
        return undefined;
      });
      const usedMs = performance.now() - beganAt;
      const pauseMs = handled === undefined ? RETRY_AFTER_MS : handled === 0 ? CHECK_EVERY_MS : PAUSE_RATIO * usedMs;
      await sleep(clock, pauseMs, signal).catch(() => {});
    }
  };

  return {
    /**
     * Finds entries with most of the words, in any of their forms, and those with a similar meaning if there is an embedding
     * model.
     */
    async search(
      owner: ChatOwner,
      query: string,
      { offset, limit, snippetUnits, ...range }: SearchPage,
    ): Promise<FoundEntries> {
      const terms = listTerms(query);
      if (terms.length === 0) return { entries: [], totalCount: 0 };
      const matches = await listMatches(owner, query, range);
      const known = await findEntries(
        deps,
        owner,
        matches.map(({ entry }) => entry),
      );
      const found = matches.flatMap(({ chunkId, entry }) => {
        const details = known.get(toEntryId(entry));
        return details ? { chunkId, details } : [];
      });
      const all = found.slice(0, MAX_RESULTS);
      const shown = all.slice(offset, offset + limit);
      const texts = await readChunkTexts(
        db,
        shown.map(({ chunkId }) => chunkId),
      );
      const snippets = await toSnippets(
        db,
        terms,
        shown.map(({ chunkId }) => texts.get(chunkId) ?? ''),
        snippetUnits,
      );
      const entries = shown.map(({ details }, index) => ({
        ...details,
        snippet: snippets[index] ?? { text: '', marks: [] },
      }));
      return { entries, totalCount: all.length };
    },
    /**
     * Finds the conversations of an owner by each word of a search: those with the word in any of its forms, or with one
     * that begins with it. Leaves out stop words.
     */
    findConversations: (owner: ChatOwner, search: string): Promise<readonly IndexedWord[]> =>
      findConversations(db, owner, search),
    find,
    /** Returns a part of an entry's text, at most `units` UTF-16 units from `offset`. */
    async read(
      owner: ChatOwner,
      entryId: string,
      { offset, units }: { readonly offset: number; readonly units: number },
    ): Promise<EntryPart | undefined> {
      const entry = await find(owner, entryId);
      if (!entry) return undefined;
      const whole = (await readText(db, entry.key)) ?? '';
      const text = whole.slice(offset, offset + units).toWellFormed();
      return { entry, text, offset, remaining: Math.max(0, whole.length - offset - text.length) };
    },
    /** Counts the texts that are not indexed yet, and the files that are not read yet, of all owners. */
    countWaiting: (): Promise<number> => countWaiting(db),
    /** Counts those of one owner. */
    countWaitingOf: (owner: ChatOwner): Promise<WaitingTexts> => countWaitingOf(db, owner),
    /** Indexes a limited number of texts. @returns the number of texts; 0 if none was due. */
    index: (ending: AbortSignal): Promise<number> => indexChanges(deps, ending),
    /** Reads the text of one stored file that waits for it. @returns the number of files; 0 if none was due. */
    readFile: (ending: AbortSignal): Promise<number> => readNextFile(deps, ending),
    /** Gives vectors to a limited number of texts. @returns whether more may be left. @throws errors of the model. */
    embed: async (ending: AbortSignal): Promise<boolean> => (await vectors?.advance(ending)) ?? false,
    /** Gives vectors to texts, new ones too, until the signal aborts. Only one process should do it. */
    embedAll: async (ending: AbortSignal): Promise<void> => {
      if (vectors) await embedWhileNeeded(deps, vectors, AbortSignal.any([signal, ending]));
    },
    /** Starts to read files and to index in the background. Several processes share the work. */
    start(): void {
      const readFile = (ending: AbortSignal) => readNextFile(deps, ending);
      running = Promise.all([readFile, (ending: AbortSignal) => indexChanges(deps, ending)].map(repeat));
    },
    close: once(async () => {
      closing.abort(new Error('the service is ending'));
      await running;
    }),
  };
}
