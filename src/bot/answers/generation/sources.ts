import type { MessageExtras } from '../../../core/conversations/index.ts';
import type { Source as ChatSource } from '../../../core/models/index.ts';

type Source = NonNullable<MessageExtras['sources']>[number];

const MAX_SHOWN_SOURCES = 20;
const MAX_URL_CHARACTERS = 2000;
const MAX_TITLE_CHARACTERS = 100;
/** Limit for titles before any other processing. */
const MAX_KEPT_TITLE_CHARACTERS = 500;

/** Web sources of an answer, in the order of their numbers. */
export type SourceCollection = ReturnType<typeof createSourceCollection>;

export function createSourceCollection() {
  const found = new Map<string, Source>();
  return {
    add(given: ChatSource): void {
      const source = toSource(given);
      const existing = source && found.get(source.url);
      if (!source || existing?.title !== undefined || (!existing && found.size >= MAX_SHOWN_SOURCES)) return;
      found.set(source.url, source);
    },
    list: (): readonly Source[] => [...found.values()],
  };
}

/** Returns the sources as a Markdown list to append to an answer; empty if there are none. */
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

/** Replaces square brackets by round ones: escaped square brackets would be parsed as a formula. */
function toLabel(title: string): string {
  const characters = [...title.replaceAll(/\s+/g, ' ').replaceAll('[', '(').replaceAll(']', ')')];
  const isLong = characters.length > MAX_TITLE_CHARACTERS;
  const short = isLong ? `${characters.slice(0, MAX_TITLE_CHARACTERS).join('')}…` : characters.join('');
  return short.replaceAll(/[\\`*_<>~|$&#!]/g, '\\$&');
}
