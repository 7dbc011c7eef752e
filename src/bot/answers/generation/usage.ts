import type { UsageEntry } from '../../../core/accounts/index.ts';
import type { MessageExtras } from '../../../core/conversations/index.ts';
import type { BotServices } from '../../kit/services.ts';

/** Time, tokens and cost of an answer. */
export type AnswerUsage = NonNullable<NonNullable<MessageExtras['comparison']>['usage']>;

const NOTHING: AnswerUsage = { durationMs: 0, promptTokens: 0, completionTokens: 0, costUsd: 0 };

/** @param before usage of the text that the answer continues. */
export function createUsageMeter({ clock }: BotServices, before = NOTHING) {
  const startedAt = clock.now();
  let { promptTokens, completionTokens, costUsd } = before;
  return {
    add(entry: Pick<UsageEntry, 'promptTokens' | 'completionTokens' | 'costUsd'>): void {
      promptTokens += entry.promptTokens;
      completionTokens += entry.completionTokens;
      costUsd = costUsd === undefined || entry.costUsd === undefined ? undefined : costUsd + entry.costUsd;
    },
    total(): AnswerUsage {
      const durationMs = before.durationMs + Math.round(clock.now() - startedAt);
      return { durationMs, promptTokens, completionTokens, ...(costUsd !== undefined && { costUsd }) };
    },
  };
}
