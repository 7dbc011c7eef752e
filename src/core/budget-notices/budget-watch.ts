import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { type BudgetUse, parseScope } from '../limits/index.ts';
import { claimNotice } from './claim-notices.ts';
import type { NoticeLevel } from './notice.ts';
import { toPeriodStart } from './notice-period.ts';

/** Watches spending and stores a notice when a budget reaches a level. */
export type BudgetWatch = ReturnType<typeof createBudgetWatch>;

interface Claimed {
  readonly level: NoticeLevel;
  readonly limitUsd: number;
}

/** Bounds memory. A forgotten budget costs one more look at the database. */
const MAX_KNOWN = 20_000;
/** Further budgets are checked after their next request. */
const MAX_WAITING = 5000;
/** The exact comparison is left to the database. */
const ROUNDING = 1 - 1e-9;

export function createBudgetWatch(
  { db, clock, logger }: { readonly db: Database; readonly clock: Clock; readonly logger: Logger },
  onNew: () => void,
) {
  const claimed = new LRUCache<string, Claimed>({ max: MAX_KNOWN });
  const waiting = new Map<string, { readonly use: BudgetUse; readonly start: string }>();
  let working: Promise<void> | undefined;

  const check = async (key: string, use: BudgetUse, start: string) => {
    const { level, isNew } = await claimNotice(db, use, start);
    if (level !== undefined) claimed.set(key, { level, limitUsd: use.limitUsd });
    if (isNew) onNew();
  };
  const work = async () => {
    for (const [key, { use, start }] of waiting) {
      waiting.delete(key);
      await check(key, use, start).catch((error: unknown) =>
        logger.warn({ reason: describeError(error), scope: use.scope }, 'a budget could not be checked for a notice'),
      );
    }
    working = undefined;
  };

  return {
    /** Checks budgets in the background. Reads the database only if a level may be reached and was not claimed yet. */
    check(uses: readonly BudgetUse[]): void {
      for (const use of uses) {
        const level = findLevel(use);
        if (level === undefined || !parseScope(use.scope)) continue;
        const start = toPeriodStart(use.period, clock.now());
        const key = `${use.scope} ${use.period} ${start}`;
        const known = claimed.get(key);
        if (known && known.level >= level && known.limitUsd >= use.limitUsd) continue;
        if (waiting.has(key) || waiting.size < MAX_WAITING) waiting.set(key, { use, start });
      }
      if (waiting.size > 0) working ??= work();
    },
    /** Resolves when all checks are done. */
    async flush(): Promise<void> {
      await working;
    },
  };
}

/** Returns the level that may be reached. A budget of 0 has none: it blocks on purpose. */
function findLevel({ limitUsd, spentUsd, hasRefused }: BudgetUse): NoticeLevel | undefined {
  const share = spentUsd / (limitUsd * ROUNDING);
  if (limitUsd <= 0 || share < 0.8) return undefined;
  return share >= 1 || hasRefused ? 100 : 80;
}
