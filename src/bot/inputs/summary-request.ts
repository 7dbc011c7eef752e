import type { Message } from 'grammy/types';

/** Words that ask for a summary and for nothing else, in the languages that the bot speaks. */
const ENGLISH = /^(?:please )?(?:summari[sz]e|summary|sum up|tl;? ?dr|gist)(?: (?:this|that|it|please))*$/i;
const RUSSIAN =
  /^(?:(?:перескажи|изложи) (?:кратко|вкратце)|кратко|вкратце|покороче|(?:в ч[её]м )?суть|резюме|саммари|суммируй|подытожь|перескажи|краткое содержание)(?: (?:это|пожалуйста))*$/iu;
/** A message that has more words beside a link is about more than what is behind it. */
const MAX_WORDS_BESIDE_LINK = 80;
const MAX_URL_LENGTH = 2000;

/** Whether somebody wants the message that they reply to summarised: in a word, or by a command. */
export function isSummaryRequest(words: string): boolean {
  const plain = words
    .replace(/^\/(\w+)(?:@\w+)?\s*$/, '$1')
    .replace(/[\s,.!?:…]+/g, ' ')
    .trim();
  return ENGLISH.test(plain) || RUSSIAN.test(plain);
}

/** The page that a message is about, where it is little more than a link. */
export function findLinkedPage(message: Pick<Message, 'text' | 'entities'>) {
  const { text = '', entities = [] } = message;
  const link = entities.find(({ type }) => type === 'url' || type === 'text_link');
  if (!link || text.length - link.length > MAX_WORDS_BESIDE_LINK) return undefined;
  const written = link.type === 'text_link' ? link.url : text.slice(link.offset, link.offset + link.length);
  const url = URL.parse(/^https?:\/\//i.test(written) ? written : `https://${written}`);
  if (!url || url.href.length > MAX_URL_LENGTH) return undefined;
  return { kind: 'page', url: url.href, name: url.hostname } as const;
}
