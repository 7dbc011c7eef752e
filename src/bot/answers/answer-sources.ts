import type { MessageExtras } from '../../core/conversations/index.ts';
import type { Source as ChatSource } from '../../core/models/index.ts';

type Source = NonNullable<MessageExtras['sources']>[number];

const MAX_SOURCES = 20;
const MAX_URL_CHARACTERS = 2000;
const MAX_TITLE_CHARACTERS = 100;
/** Longer titles are cut before anything else is done with them. */
const MAX_KEPT_TITLE_CHARACTERS = 500;

/** The addresses that an answer comes from, in the order of their numbers. */
export interface SourceCollection {
  add(source: ChatSource): void;
  list(): readonly Source[];
}

export function createSourceCollection(): SourceCollection {
  const found = new Map<string, Source>();
  return {
    add(given) {
      const source = toSource(given);
      const known = source && found.get(source.url);
      if (!source || known?.title !== undefined || (!known && found.size >= MAX_SOURCES)) return;
      found.set(source.url, source);
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

function toSource({ url, title = '' }: ChatSource): Source | undefined {
  if (url === undefined || url.length > MAX_URL_CHARACTERS || /[<>\s]/.test(url)) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const name = title.slice(0, MAX_KEPT_TITLE_CHARACTERS).toWellFormed().trim();
  return name === '' ? { url } : { url, title: name };
}

/** Brackets become round ones: escaped, square ones would be a formula. */
function toLabel(title: string): string {
  const characters = [...title.replaceAll(/\s+/g, ' ').replaceAll('[', '(').replaceAll(']', ')')];
  const isLong = characters.length > MAX_TITLE_CHARACTERS;
  const short = isLong ? `${characters.slice(0, MAX_TITLE_CHARACTERS).join('')}…` : characters.join('');
  return short.replaceAll(/[\\`*_<>~|$&#!]/g, '\\$&');
}
