import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { TEXT_SEARCH, toQueries } from './text-search.ts';
import { listWords, type Term, type Word } from './words.ts';

/** Excerpt of a text with the words that were found. */
export interface Snippet {
  /** One line. */
  readonly text: string;
  /** Ranges of the words, in UTF-16 units. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly offset: number;
  readonly length: number;
}

/** Characters of a snippet before the first word that was found. */
const BEFORE = 40;
/** Markup of Markdown at the beginning or the end of a word, which has no meaning in plain text. */
const MARKUP_OF_WORDS = /(?<![\p{L}\p{N}])[*`~]+|[*`~]+(?![\p{L}\p{N}*`~])/gu;
/** Other markup, and breaks of lines. */
const SPACE = /[#|\s]+/g;

/**
 * Cuts the texts to snippets around the places with most of the terms.
 * @param units length of each, in UTF-16 units.
 */
export async function toSnippets(
  db: Database,
  terms: readonly Term[],
  texts: readonly string[],
  units: number,
): Promise<readonly Snippet[]> {
  const lines = texts.map((text) => text.replace(MARKUP_OF_WORDS, '').replace(SPACE, ' ').trim());
  const words = lines.map(listWords);
  const matching = await findMatching(db, terms, words.flat());
  const toMarks = (word: Word) => (word.isUnspaced ? listRanges(word, terms) : matching.has(word.text) ? [word] : []);
  return lines.map((line, index) => cutSnippet(line, (words[index] ?? []).flatMap(toMarks), units));
}

/** Returns the words that one of the terms finds: only the database knows their stems. */
async function findMatching(
  db: Database,
  terms: readonly Term[],
  words: readonly Word[],
): Promise<ReadonlySet<string>> {
  const distinct = new Set(words.flatMap(({ text, isUnspaced }) => (isUnspaced ? [] : text)));
  const query: SQL = sql`select string_agg('(' || query::text || ')', ' | ')::tsquery from (${toQueries(terms)}) queries`;
  const rows = await db
    .select({ word: sql<string>`word` })
    .from(sql`jsonb_array_elements_text(${JSON.stringify([...distinct])}::text::jsonb) as word`)
    .where(sql`to_tsvector(${TEXT_SEARCH}, word) @@ (${query})`);
  return new Set(rows.map(({ word }) => word));
}

/** Returns where the terms are in a run of characters without spaces. */
function listRanges(word: Word, terms: readonly Term[]): readonly Mark[] {
  return terms.flatMap(({ text }) => {
    const index = word.text.indexOf(text);
    return index < 0 ? [] : [{ offset: word.offset + index, length: text.length }];
  });
}

function cutSnippet(line: string, found: readonly Mark[], units: number): Snippet {
  const marks = found.toSorted((one, other) => one.offset - other.offset);
  const from = findStart(line, marks, units);
  const end = findEnd(line, from + units);
  const start = from === 0 ? '' : '…';
  const text = `${start}${line.slice(from, end)}${end === line.length ? '' : '…'}`;
  const shift = start.length - from;
  const shown = marks.filter(({ offset, length }) => offset >= from && offset + length <= end);
  return { text, marks: mergeMarks(shown.map(({ offset, length }) => ({ offset: offset + shift, length }))) };
}

/** Returns the beginning of the range with most marks. */
function findStart(line: string, marks: readonly Mark[], units: number): number {
  let best = { from: 0, count: 0 };
  let last = 0;
  for (const [first, { offset }] of marks.entries()) {
    const from = Math.max(0, offset - BEFORE);
    while (last < marks.length && (marks[last]?.offset ?? 0) < from + units) last += 1;
    if (last - first > best.count) best = { from, count: last - first };
  }
  if (best.from === 0 || line.length <= units) return 0;
  const space = line.indexOf(' ', best.from);
  return space >= 0 && space < best.from + BEFORE ? space + 1 : toCharacterStart(line, best.from);
}

function findEnd(line: string, last: number): number {
  if (last >= line.length) return line.length;
  const space = line.lastIndexOf(' ', last);
  return space > last - BEFORE ? space : toCharacterStart(line, last);
}

/** Returns the index itself, or the one before if it is between the halves of a character. */
function toCharacterStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

/** Joins ranges that touch or overlap. */
function mergeMarks(marks: readonly Mark[]): readonly Mark[] {
  const merged: Mark[] = [];
  for (const mark of marks) {
    const last = merged.at(-1);
    if (!last || last.offset + last.length < mark.offset) merged.push(mark);
    else
      merged[merged.length - 1] = { ...last, length: Math.max(last.length, mark.offset + mark.length - last.offset) };
  }
  return merged;
}
