import type { MessageEntity } from '@grammyjs/types';

/** Text without markup, and its entities with offsets in UTF-16 units. */
export interface FormattedText {
  readonly text: string;
  readonly entities: MessageEntity[];
}
