import type { BotDeps } from '../../framework/bot-deps.ts';

export type BudgetNoticeServices = Pick<
  BotDeps,
  'accounts' | 'administration' | 'apiKeys' | 'budgetNotices' | 'groups' | 'interactions' | 'logger'
>;
