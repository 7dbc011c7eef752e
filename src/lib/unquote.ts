const QUOTES = /^(["'`“”‘’«])(.*)(["'`“”‘’»])$/s;

/** Returns a pasted text without the spaces, quotes and line breaks around it. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  return QUOTES.exec(trimmed)?.[2]?.trim() ?? trimmed;
}
