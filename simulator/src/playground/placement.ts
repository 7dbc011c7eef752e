import type { ReaderState } from './entities-view.tsx';

/** How a message stands in its conversation. */
export interface Placement {
  isOwn: boolean;
  /** First of several messages by the same sender in a row. */
  isFirst: boolean;
  /** Last of several messages by the same sender in a row. */
  isLast: boolean;
  /** Name above and avatar beside it. */
  showsSender: boolean;
  /** Whether the Tab key reaches it; arrows walk on from there. */
  isTabStop: boolean;
  /** Id of the person who looks. */
  me: number;
  reader: ReaderState;
  isBusy: (row: number, column: number) => boolean;
}
