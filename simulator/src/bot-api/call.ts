import type { Bot, World } from '../world/world.ts';
import type { Params } from './params.ts';

/** One call of a Bot API method. */
export interface Call {
  readonly world: World;
  readonly bot: Bot;
  /** The method's documented name. */
  readonly method: string;
  readonly params: Params;
  /** Files of a multipart body by field name. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  /** Runs another method as the same bot: what a webhook's answer asks for. Refusals are swallowed, as at Telegram. */
  readonly runMethod: (method: string, params: Params) => Promise<void>;
}

export interface Upload {
  readonly bytes: Buffer;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
}

/** What a method answers as `result`. @throws ApiError */
export type MethodHandler = (call: Call) => unknown;
