const ID = /^[\w-]{22}$/;
/** A download link, its page, that of a conversation, a link that deletes, or one that opens the bot. */
const LINK = /(?:\/(?:file|delete|share)\/|[?&]start=[fc]_)([\w-]{22})(?![\w-])/;

/** The file that an id or any of its links means; undefined where it has the form of none. */
export function readFileId(written: string): string | undefined {
  return ID.test(written) ? written : LINK.exec(written)?.[1];
}

/** Whether a text has the form of a web address. */
export function isLink(written: string): boolean {
  return /^https?:\/\//i.test(written);
}

/** The files whose links stand in a text, each once. */
export function listFileIds(text: string): readonly string[] {
  const links = text.matchAll(new RegExp(LINK, 'g'));
  return [...new Set([...links].flatMap(([, id]) => id ?? []))];
}
