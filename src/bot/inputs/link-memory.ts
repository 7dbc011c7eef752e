import type { Message } from 'grammy/types';
import { createCache } from '../../lib/async/cache.ts';
import { toChatTopic, toChatTopicKey } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import type { LinkedPage } from './links.ts';

/** Links that were sent alone, to which the user's next message may refer. */
export type LinkMemory = ReturnType<typeof createLinkMemory>;

const MAX_AGE_MS = 600_000;
const MAX_LINKS = 1000;
/** Words that refer to something mentioned just before. */
const POINTS =
  /\b(?:it|its|this|that|there|they|links?|urls?|pages?|(?:web)?sites?|articles?|read|open|summar\w*|tl;? ?dr|gist)\b|(?<!\p{L})(?:эт\p{L}{1,3}|там|тут|здесь|е[её]|его|ней|н[её]м|кратко|суть|прочти|прочитай|открой|перескажи|ссылк\p{L}*|страниц\p{L}*|сайт\p{L}*|стат(?:ья|ью|ье|ьи)|о ч[её]м)(?!\p{L})/iu;

export function createLinkMemory({ clock }: BotServices) {
  const links = createCache<string, LinkedPage>(clock, { max: MAX_LINKS, ttlMs: MAX_AGE_MS });
  const toKey = (message: Message) => `${toChatTopicKey(toChatTopic(message))}/${message.from?.id}`;
  return {
    record(message: Message, page: LinkedPage): void {
      links.set(toKey(message), page);
    },
    /** Returns the link that the user has sent before in the same topic if the text refers to it, and removes it. */
    take(message: Message, words: string): LinkedPage | undefined {
      const page = links.get(toKey(message));
      links.delete(toKey(message));
      return page && POINTS.test(words) ? { ...page, kind: 'link' } : undefined;
    },
  };
}
