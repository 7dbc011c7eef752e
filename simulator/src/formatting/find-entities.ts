import type { MessageEntity } from '@grammyjs/types';

type FoundType = 'bot_command' | 'mention' | 'hashtag' | 'cashtag' | 'url' | 'email';

/** Top-level domains for which a bare `example.com` counts as a link. Only frequent ones; Telegram knows all. */
const BARE_DOMAINS =
  'com|org|net|edu|gov|info|biz|io|ai|app|dev|me|co|tv|xyz|site|online|tech|store|blog|page|link|ru|ua|de|uk|fr|es|it|nl|pl|cz|us|ca|br|in|cn|jp|kr|au|ch|at|se|no|fi|dk|eu|tr|kz|by|uz|рф';

const PATTERNS: readonly (readonly [FoundType, RegExp])[] = [
  ['bot_command', /(?<![\p{L}\p{N}_/<>])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32})?(?![\p{L}\p{N}_/<>@])/gu],
  ['email', /(?<![\p{L}\p{N}_.+-])[a-zA-Z0-9_.+-]{1,64}@(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,24}(?![\p{L}\p{N}_-])/gu],
  [
    'url',
    /(?<![\p{L}\p{N}_@])(?:https?|ftp|tonsite):\/\/(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,})(?::\d{1,5})?(?:[/?#][^\s<>"'`«»]*)?/giu,
  ],
  [
    'url',
    new RegExp(
      `(?<![\\p{L}\\p{N}_@./-])(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.)+(?:${BARE_DOMAINS})(?![\\p{L}\\p{N}_-])(?::\\d{1,5})?(?:[/?#][^\\s<>"'\`«»]*)?`,
      'giu',
    ),
  ],
  ['mention', /(?<![\p{L}\p{N}_])@[a-zA-Z][a-zA-Z0-9_]{3,31}(?![\p{L}\p{N}_])/gu],
  ['hashtag', /(?<![\p{L}\p{N}_])#(?=[\p{L}\p{N}_]*[\p{L}_])[\p{L}\p{N}_]{1,256}(?![\p{L}\p{N}_#])/gu],
  ['cashtag', /(?<![\p{L}\p{N}_$])\$(?:1INCH|[A-Z]{1,8})(?![\p{L}\p{N}_$])/gu],
];

/**
 * Finds the entities that Telegram detects in a text: commands, mentions, hashtags, cashtags, links, e-mail addresses.
 * Text inside `taken` entities that hold literal text or a link is skipped. Phone numbers are not detected.
 */
export function findEntities(text: string, taken: readonly MessageEntity[]): MessageEntity[] {
  const found: MessageEntity[] = taken.filter((entity) => HOLDS_LITERAL_TEXT.has(entity.type));
  const given = found.length;
  for (const [type, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const length = (type === 'url' ? withoutTrailingPunctuation(match[0]) : match[0]).length;
      const entity: MessageEntity = { type, offset: match.index, length };
      if (!found.some((other) => overlaps(other, entity))) found.push(entity);
    }
  }
  return found.slice(given);
}

const HOLDS_LITERAL_TEXT: ReadonlySet<string> = new Set([
  'code',
  'pre',
  'text_link',
  'text_mention',
  'custom_emoji',
  'date_time',
]);

function withoutTrailingPunctuation(url: string): string {
  const trimmed = url.replace(/(?<![.,:;!?'"…])[.,:;!?'"…]+$/u, '');
  // A closing bracket belongs to the link only if the link contains the opening one.
  const isUnopened = trimmed.endsWith(')') && trimmed.split(')').length > trimmed.split('(').length;
  return isUnopened ? withoutTrailingPunctuation(trimmed.slice(0, -1)) : trimmed;
}

function overlaps(one: MessageEntity, other: MessageEntity): boolean {
  return one.offset < other.offset + other.length && other.offset < one.offset + one.length;
}
