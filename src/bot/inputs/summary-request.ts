/** Phrases that only ask for a summary, in the languages of the bot. */
const ENGLISH = /^(?:please )?(?:summari[sz]e|summary|sum up|tl;? ?dr|gist)(?: (?:this|that|it|please))*$/i;
const RUSSIAN =
  /^(?:(?:перескажи|изложи) (?:кратко|вкратце)|кратко|вкратце|покороче|(?:в ч[её]м )?суть|резюме|саммари|суммируй|подытожь|перескажи|краткое содержание)(?: (?:это|пожалуйста))*$/iu;

/** Returns whether a reply only asks to summarise the replied-to message, by a phrase or a command. */
export function isSummaryRequest(words: string): boolean {
  const plain = words
    .replace(/^\/(\w+)(?:@\w+)?\s*$/, '$1')
    .replace(/[\s,.!?:…]+/g, ' ')
    .trim();
  return ENGLISH.test(plain) || RUSSIAN.test(plain);
}
