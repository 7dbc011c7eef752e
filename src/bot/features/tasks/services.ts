import type { BotDeps } from '../../framework/bot-deps.ts';

export type TaskServices = Pick<
  BotDeps,
  | 'accounts'
  | 'client'
  | 'clock'
  | 'conversations'
  | 'groups'
  | 'interactions'
  | 'logger'
  | 'taskLedger'
  | 'tasks'
  | 'toolbox'
>;
