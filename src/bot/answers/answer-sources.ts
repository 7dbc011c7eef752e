import type { MessageExtras } from '../../core/conversations/index.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

type Source = NonNullable<MessageExtras['sources']>[number];

const MAX_SOURCES = 20;
const MAX_URL_CHARACTERS = 2000;
const MAX_TITLE_CHARACTERS = 100;
/** Longer titles are cut before anything else is done with them. */
const MAX_KEPT_TITLE_CHARACTERS = 500;
/** Entries of one list in one chunk that are read. */
const MAX_READ_ENTRIES = 100;

/** What the chunks of an answer say of where it comes from, in the order of their numbers. */
export interface SourceCollection {
  add(chunk: JsonObject): void;
  list(): readonly Source[];
}

/**
 * Reads what hosts tell of sources: `annotations` with `url_citation` (OpenAI, OpenRouter) in a delta; `citations` and `search_results`
 * (Perplexity) beside the choices, whole in every chunk.
 */
export function createSourceCollection(): SourceCollection {
  const found = new Map<string, Source>();
  const note = (value: unknown) => {
    const source = toSource(value);
    const known = source && found.get(source.url);
    if (!source || known?.title !== undefined || (!known && found.size >= MAX_SOURCES)) return;
    found.set(source.url, source);
  };
  return {
    add(chunk) {
      for (const value of [...listOf(chunk['citations']), ...listOf(chunk['search_results'])]) note(value);
      for (const choice of listOf(chunk['choices'])) {
        for (const part of isJsonObject(choice) ? [choice['delta'], choice['message']] : []) {
          for (const annotation of isJsonObject(part) ? listOf(part['annotations']) : []) {
            if (isJsonObject(annotation)) note(annotation['url_citation'] ?? annotation);
          }
        }
      }
    },
    list: () => [...found.values()],
  };
}

/** The sources as Markdown below an answer; empty where there are none. */
export function toSourceList(sources: readonly Source[], heading: string): string {
  if (sources.length === 0) return '';
  const lines = sources.map(
    ({ url, title }, index) => `${index + 1}. [${toLabel(title ?? new URL(url).host)}](<${url}>)`,
  );
  return `\n\n**${heading}**\n\n${lines.join('\n')}`;
}

function toSource(value: unknown): Source | undefined {
  const [url, title] = isJsonObject(value) ? [value['url'], value['title']] : [value, undefined];
  if (typeof url !== 'string' || url.length > MAX_URL_CHARACTERS || /[<>\s]/.test(url)) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const name = typeof title === 'string' ? title.slice(0, MAX_KEPT_TITLE_CHARACTERS).toWellFormed().trim() : '';
  return name === '' ? { url } : { url, title: name };
}

/** Brackets become round ones: escaped, square ones would be a formula. */
function toLabel(title: string): string {
  const characters = [...title.replaceAll(/\s+/g, ' ').replaceAll('[', '(').replaceAll(']', ')')];
  const isLong = characters.length > MAX_TITLE_CHARACTERS;
  const short = isLong ? `${characters.slice(0, MAX_TITLE_CHARACTERS).join('')}…` : characters.join('');
  return short.replaceAll(/[\\`*_<>~|$&#!]/g, '\\$&');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_READ_ENTRIES) : [];
}
