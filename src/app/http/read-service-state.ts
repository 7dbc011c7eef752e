import type { Config } from '../../config/index.ts';
import type { ServiceState } from '../../http/management/service/service-state.ts';
import type { StartedBot } from '../bot/start-bot.ts';
import type { Resources } from '../open-resources.ts';
import { readVersion } from '../read-version.ts';

/** Reads the state of the process. @param bot undefined before it was started. */
export async function readServiceState(
  { readSpace }: Pick<Resources, 'readSpace'>,
  database: Config['database'],
  bot: Pick<StartedBot, 'countWaiting' | 'countBusyChats' | 'countJobs' | 'client'> | undefined,
): Promise<ServiceState> {
  return {
    version: await readVersion(),
    database: database.kind === 'embedded' ? 'embedded' : 'server',
    disk: readSpace(),
    bot: bot && {
      ...(await bot.countWaiting()),
      busyChats: bot.countBusyChats(),
      jobs: bot.countJobs(),
      telegramCalls: bot.client.load.waiting,
    },
  };
}
