import type { BotDeps } from '../../framework/bot-deps.ts';
import type { Notices } from '../../sending/notices.ts';

export type ApiKeysServices = Pick<
  BotDeps,
  | 'apiKeys'
  | 'apiUrl'
  | 'budgets'
  | 'catalogue'
  | 'clock'
  | 'interactions'
  | 'keyUses'
  | 'limits'
  | 'logger'
  | 'usageReports'
> & { readonly notices: Pick<Notices, 'send'> };
