/** Reads the text after the three backticks of a code block: its language, and one line break before the content. */
export function readCodeStart(
  markdown: string,
  at: number,
): { readonly language?: string; readonly contentAt: number } {
  const [language = ''] = /^[^\s`]*/.exec(markdown.slice(at)) ?? [];
  const after = markdown.charAt(at + language.length);
  const isLanguage = language !== '' && after !== '' && after !== '`';
  const start = isLanguage ? at + language.length : at;
  const [lineBreak = ''] = /^(?:\r\n|\n\r|\r|\n)?/.exec(markdown.slice(start)) ?? [];
  return { ...(isLanguage ? { language } : {}), contentAt: start + lineBreak.length };
}
