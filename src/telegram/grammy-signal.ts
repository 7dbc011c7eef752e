import type { Api } from 'grammy';

/** Signal type of grammY's methods. It comes from a polyfill; native signals satisfy it at run time. */
export type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>;

/** Casts a native signal to the type that grammY expects. */
export function toGrammySignal(signal: AbortSignal): GrammySignal {
  return signal as GrammySignal;
}
