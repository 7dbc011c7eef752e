/** What payloads of `/start` begin with, by what they lead to. Telegram takes 64 letters, digits, `_` and `-` in all. */
export const START_PAYLOADS = {
  /** A file. */
  file: 'f_',
  /** A shared conversation. */
  page: 'c_',
  /** An answer in a chat that the bot need not be in. */
  continued: 'i_',
  /** A model that is to answer. */
  model: 'm_',
  /** A persona. */
  persona: 'p_',
} as const;

export interface TelegramAddress {
  /** What links to Telegram begin with, where Telegram is simulated. Default `https://t.me`. */
  readonly telegramUrl?: string | undefined;
}

/** Returns a link that opens the bot and has the user press Start. */
export function toStartLink(
  { telegramUrl = 'https://t.me' }: TelegramAddress,
  { username }: { readonly username: string },
  kind: keyof typeof START_PAYLOADS,
  what: string | number,
): string {
  return `${telegramUrl}/${username}?start=${START_PAYLOADS[kind]}${what}`;
}

/** What follows the beginning of this kind in the payload of `/start`; undefined where it has another one. */
export function readStartPayload(payload: string, kind: keyof typeof START_PAYLOADS): string | undefined {
  const beginning = START_PAYLOADS[kind];
  return payload.startsWith(beginning) ? payload.slice(beginning.length) : undefined;
}
