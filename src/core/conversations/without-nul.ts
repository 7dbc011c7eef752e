import type { MessageExtras } from '../../database/schema/index.ts';

/** Postgres keeps no U+0000 in text. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}

/** The same of all texts in it. */
export function withoutNulInside(extras: MessageExtras): MessageExtras {
  return JSON.parse(JSON.stringify(extras).replaceAll('\\u0000', ''));
}
