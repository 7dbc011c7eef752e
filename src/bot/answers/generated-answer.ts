import type { MessageExtras } from '../../core/conversations/index.ts';
import type { Failure } from '../kit/failure.ts';

/** Result of one generation. An interrupted answer can have both text and a failure. */
export interface GeneratedAnswer {
  /** Markdown to show. */
  readonly text: string;
  /**
   * The provider's finish reason, or `stopped` (by the user), `interrupted` (by a restart), `paused` (until the user
   * decides about a tool call), `error`.
   */
  readonly finishReason: string;
  readonly failure: Failure | undefined;
  readonly extras: MessageExtras;
}
