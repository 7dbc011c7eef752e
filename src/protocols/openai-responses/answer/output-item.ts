import type { JsonObject } from '../../../lib/json/json.ts';

/** An event of a stream, without its number. */
export type ResponseEvent = JsonObject & { readonly type: string };

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Receives the events in order. */
export type Emit = (event: ResponseEvent) => void;

/** An output item that grows with the answer and reports each change as an event. */
export interface OutputItem {
  /** Reports the last events. Nothing may be added afterwards. */
  close(status: ItemStatus): void;
  print(): JsonObject;
}
