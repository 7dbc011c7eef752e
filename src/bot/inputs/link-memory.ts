import type { Message } from 'grammy/types';
import type { Clock } from '../../lib/clock.ts';
import { toPlace, toPlaceKey } from '../place.ts';
import type { LinkedPage } from './links.ts';

/** Links that came alone: people send one and ask about it in their next message. */
export interface LinkMemory {
  note(message: Message, page: LinkedPage): void;
  /** The link that a person has sent right before in the same place, where their words speak of it. It is forgotten then. */
  take(message: Message, words: string): LinkedPage | undefined;
}

const MAX_AGE_MS = 600_000;
const MAX_LINKS = 1000;
/** Words that point at something which was there just now. */
const POINTS =
  /\b(?:it|its|this|that|there|they|links?|urls?|pages?|(?:web)?sites?|articles?|read|open|summar\w*|tl;? ?dr|gist)\b|(?<!\p{L})(?:эт\p{L}{1,3}|там|тут|здесь|е[её]|его|ней|н[её]м|кратко|суть|прочти|прочитай|открой|перескажи|ссылк\p{L}*|страниц\p{L}*|сайт\p{L}*|стат(?:ья|ью|ье|ьи)|о ч[её]м)(?!\p{L})/iu;

export function createLinkMemory({ clock }: { readonly clock: Clock }): LinkMemory {
  const links = new Map<string, { readonly page: LinkedPage; readonly at: number }>();
  const toKey = (message: Message) => `${toPlaceKey(toPlace(message))}/${message.from?.id}`;
  return {
    note(message, page) {
      const key = toKey(message);
      links.delete(key);
      const [oldest] = links.keys();
      if (links.size >= MAX_LINKS && oldest !== undefined) links.delete(oldest);
      links.set(key, { page, at: clock.now() });
    },
    take(message, words) {
      const known = links.get(toKey(message));
      links.delete(toKey(message));
      const isMeant = known && clock.now() - known.at <= MAX_AGE_MS && POINTS.test(words);
      return isMeant ? { ...known.page, kind: 'link' } : undefined;
    },
  };
}
