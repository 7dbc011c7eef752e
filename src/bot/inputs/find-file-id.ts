const ID = /^([\w-]{22})[^\p{L}\p{N}]*$/u;
/** Matches a download link, its page, the page of a conversation, a deletion link, or a link that opens the bot. */
const LINK = /(?:\/(?:file|delete|share)\/|[?&]start=[fc]_)([\w-]{22})(?![_-]*[A-Za-z0-9])/;

/** Returns the file id in an id or link, whatever punctuation follows it; undefined if there is none. */
export function findFileId(written: string): string | undefined {
  return (ID.exec(written) ?? LINK.exec(written))?.[1];
}

/** Returns whether a text starts like a web address. */
export function isLink(written: string): boolean {
  return /^https?:\/\//i.test(written);
}

/** Returns the ids of all file links in a text, each once. */
export function listFileIds(text: string): readonly string[] {
  const links = text.matchAll(new RegExp(LINK, 'g'));
  return [...new Set([...links].flatMap(([, id]) => id ?? []))];
}
