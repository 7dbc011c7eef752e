/** Words that ask for a summary and for nothing else, in the languages that the bot speaks. */
const ENGLISH = /^(?:please )?(?:summari[sz]e|summary|sum up|tl;? ?dr|gist)(?: (?:this|that|it|please))*$/i;
const RUSSIAN =
  /^(?:(?:перескажи|изложи) (?:кратко|вкратце)|кратко|вкратце|покороче|(?:в ч[её]м )?суть|резюме|саммари|суммируй|подытожь|перескажи|краткое содержание)(?: (?:это|пожалуйста))*$/iu;

/** Whether somebody wants the message that they reply to summarised: in a word, or by a command. */
export function isSummaryRequest(words: string): boolean {
  const plain = words
    .replace(/^\/(\w+)(?:@\w+)?\s*$/, '$1')
    .replace(/[\s,.!?:…]+/g, ' ')
    .trim();
  return ENGLISH.test(plain) || RUSSIAN.test(plain);
}
