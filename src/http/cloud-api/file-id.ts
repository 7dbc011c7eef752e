const FILE_ID = /^[\w-]{22}$/;

/** Whether it has the form of a file's id; nothing else needs to be looked up. */
export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}
