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

/** A link that opens the bot and has the person press Start. */
export function toStartLink(
  { username }: { readonly username: string },
  kind: keyof typeof START_PAYLOADS,
  what: string | number,
): string {
  return `https://t.me/${username}?start=${START_PAYLOADS[kind]}${what}`;
}

/** What follows the beginning of this kind in the payload of `/start`; undefined where it has another one. */
export function readStartPayload(payload: string, kind: keyof typeof START_PAYLOADS): string | undefined {
  const beginning = START_PAYLOADS[kind];
  return payload.startsWith(beginning) ? payload.slice(beginning.length) : undefined;
}
