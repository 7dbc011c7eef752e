import type { Message, UserFromGetMe } from 'grammy/types';
import { readAddressedText } from '../address.ts';

const MAX_URL_LENGTH = 2000;

/** The address that a message consists of; undefined where there is more in it, or none that can be opened. */
export function findPageUrl(message: Message, me: UserFromGetMe): string | undefined {
  const text = message.text === undefined ? '' : readAddressedText(message, me);
  if (!/^https?:\/\/\S+$/i.test(text) || text.length > MAX_URL_LENGTH) return undefined;
  return URL.parse(text)?.href;
}
