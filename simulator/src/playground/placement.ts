import type { ReaderState } from './entities-view.tsx';

/** Position and context of a message in its conversation. */
export interface Placement {
  isOwn: boolean;
  /** First of several consecutive messages by the same sender. */
  isFirst: boolean;
  /** Last of several consecutive messages by the same sender. */
  isLast: boolean;
  /** Whether the sender's name and avatar are displayed. */
  showsSender: boolean;
  /** Whether the Tab key reaches it; arrow keys move to the other messages. */
  isTabStop: boolean;
  /** Id of the acting user. */
  me: number;
  reader: ReaderState;
  isBusy: (row: number, column: number) => boolean;
}
