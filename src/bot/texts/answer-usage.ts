import { dollarsOf } from './money.ts';

/** Time, tokens and cost of an answer; the cost is undefined if a price is not known. */
export type UsageFigures = readonly [
  durationMs: number,
  promptTokens: number,
  completionTokens: number,
  costUsd?: number | undefined,
];

interface UsageWords {
  readonly seconds: (count: string) => string;
  readonly tokens: (input: string, output: string) => string;
}

/** Returns `3.2 s · 1,234 tokens in, 56 out · $0.0012`. */
export function usageOf(
  locale: string,
  [durationMs, promptTokens, completionTokens, costUsd]: UsageFigures,
  words: UsageWords,
): string {
  const count = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return [
    words.seconds(count.format(durationMs / 1000)),
    words.tokens(count.format(promptTokens), count.format(completionTokens)),
    ...(costUsd === undefined ? [] : [dollarsOf(locale, costUsd)]),
  ].join(' · ');
}
