import type { Api } from 'grammy';

/** The type of the signals that grammY's methods take: that of a polyfill, which the platform's own signals satisfy at run time. */
export type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>;

/** The same signal under the type that grammY wants. */
export function toGrammySignal(signal: AbortSignal): GrammySignal {
  return signal as GrammySignal;
}
