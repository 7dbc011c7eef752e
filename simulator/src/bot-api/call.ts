import type { Bot, World } from '../world/world.ts';
import type { Params } from './params.ts';

/** One call of a Bot API method. */
export interface Call {
  readonly world: World;
  readonly bot: Bot;
  /** Documented name of the method. */
  readonly method: string;
  readonly params: Params;
  /** Files of a multipart body by field name. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Runs another method as the same bot, as requested in the response to a webhook. Errors are ignored, as in Telegram.
   */
  readonly runMethod: (method: string, content: CallContent) => Promise<void>;
}

/** Parameters and files of a call. */
export type CallContent = Pick<Call, 'params' | 'uploads'>;

export interface Upload {
  readonly bytes: Buffer;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
}

/** Implements a method and returns its `result`. @throws ApiError */
export type MethodHandler = (call: Call) => unknown;
