const FILE_ID = /^[\w-]{22}$/;

/** Returns true if the text has the form of a file id; other texts need no lookup. */
export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}
