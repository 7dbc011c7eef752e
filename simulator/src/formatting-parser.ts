import type { MessageEntity, ParseMode } from '@grammyjs/types';

/** Parses `parse_mode` texts as Telegram does. The simulator has none of its own; tests give it Telegram's (TDLib). */
export interface FormattingParser {
  /**
   * The text without its markup, and entities with offsets in UTF-16 units, sorted.
   * @throws an Error whose message is Telegram's, such as `Can't parse entities: ...`
   */
  parse(text: string, mode: ParseMode): FormattedText;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: MessageEntity[];
}
