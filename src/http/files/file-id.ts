const FILE_ID = /^[\w-]{22}$/;
/** An id, and the rest of the path segment. */
const FILE_ID_AND_REST = /^([\w-]{22})(.*)$/s;
/** Characters that may follow a link in a text, also escaped once more: punctuation, formatting, invisible ones. */
const NO_PART_OF_ID = /^(?:[^\p{L}\p{N}]|%[\da-f]{2}|&(?:[a-z]{2,6}|#x?[\da-f]{1,6});)*$/iu;

/** Returns true if the text has the form of a file id; other texts need no lookup. */
export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/**
 * Returns the file id at the beginning of a path segment, without the characters that a chat took for a part of the
 * link: `.`, `)`, `>`, a zero-width space.
 * @returns undefined if it is no file id.
 */
export function readFileId(segment: string): string | undefined {
  const [, id, rest = ''] = FILE_ID_AND_REST.exec(segment) ?? [];
  return NO_PART_OF_ID.test(rest) ? id : undefined;
}

/** Returns a path segment without the characters that a chat took for a part of the link. */
export function trimLinkEnd(segment: string): string {
  // The lookbehind makes it linear: a run of such characters is tried from its beginning only.
  return segment.replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
}
