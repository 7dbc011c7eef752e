/** Prefixes of `/start` payloads by target. Telegram allows 64 letters, digits, `_` and `-` in total. */
export const START_PAYLOADS = {
  /** A file. */
  file: 'f_',
  /** A shared conversation. */
  page: 'c_',
  /** An answer in a chat that the bot may not be a member of. */
  continued: 'i_',
  /** A model to select. */
  model: 'm_',
  /** A persona. */
  persona: 'p_',
  /** An entry of the user's library. */
  found: 'l_',
  /** An invitation to a private service. */
  invitation: 'j_',
  /** A code by which the first user of an open bot becomes its admin. */
  admin: 'a_',
} as const;

export interface TelegramAddress {
  /** Base URL of links to Telegram, for the simulator. Default `https://t.me`. */
  readonly telegramUrl?: string | undefined;
}

/** Returns a link that opens the bot with a Start button. */
export function toStartLink(
  { telegramUrl = 'https://t.me' }: TelegramAddress,
  { username }: { readonly username: string },
  kind: keyof typeof START_PAYLOADS,
  what: string | number,
): string {
  return `${telegramUrl}/${username}?start=${START_PAYLOADS[kind]}${what}`;
}

/** Returns the part of a `/start` payload after the prefix of this kind, undefined if it has another prefix. */
export function readStartPayload(payload: string, kind: keyof typeof START_PAYLOADS): string | undefined {
  const beginning = START_PAYLOADS[kind];
  return payload.startsWith(beginning) ? payload.slice(beginning.length) : undefined;
}
