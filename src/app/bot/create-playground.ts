import { createHash, randomInt } from 'node:crypto';
import { createSimulator, parseSnapshot, type Simulator } from 'telegram-bot-simulator';
import type { Clock } from '../../lib/clock.ts';
import { openStateFile } from '../../lib/files/state-file.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { MARK } from '../../texts/mark.ts';

/** URL prefix of the simulated Bot API. */
export const SIMULATOR_PREFIX = '/simulator';
/** Maximum size of the state file. Snapshots are limited to a few megabytes. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/**
 * Opens the simulated Telegram with the state that the last process left in `directory`. At the first start it contains
 * two users, a group of both, and a private chat with the bot.
 */
export async function openPlayground(
  deps: { readonly clock: Clock; readonly logger: Logger },
  { directory, isExposed }: { readonly directory: string; readonly isExposed: boolean },
) {
  const file = await openStateFile(deps, { directory, name: 'world.json', maxBytes: MAX_STATE_BYTES });
  const snapshot = await file.read(parseSnapshot);
  const token = snapshot?.bots[0]?.token ?? `${randomInt(100_000_000, 999_999_999)}:${createId()}${createId()}`;
  const simulator = createSimulator({
    bots: [{ token, username: 'switchboard_bot', firstName: 'Switchboard' }],
    icon: MARK,
    limits: 'telegram',
    // New simulations use new ids, because the database may still contain users of a lost one.
    firstNumber: randomInt(1_000_000_000),
    snapshot,
  });
  /** Telegram id of "You". */
  const ownerId = snapshot?.people[0]?.id ?? createFirstUsers(simulator);
  file.save(() => JSON.stringify(simulator.takeSnapshot()));
  simulator.onChange(() => file.save(() => JSON.stringify(simulator.takeSnapshot())));
  return {
    token,
    ownerId,
    /** Secret of its links, the same after restarts. Undefined: only this machine reaches the page. */
    linkSecret: isExposed ? createHash('sha256').update(`link of ${token}`).digest('base64url') : undefined,
    plugins: [
      { prefix: SIMULATOR_PREFIX, plugin: simulator.botApi, logLevel: 'warn' as const },
      { prefix: '/playground', plugin: simulator.playground, logLevel: 'warn' as const },
    ],
    /** Calls `listener` after every change of the bot's settings. With the real Telegram such changes require a restart. */
    onBotChange(listener: () => void): void {
      simulator.control.subscribe(({ type }) => {
        if (type === 'bot') listener();
      });
    },
    /** Ends all pending requests and saves the state. */
    async close(): Promise<void> {
      simulator.close();
      await file.close();
    },
  };
}

/** Creates the first users and chats. @returns the id of the user selected on the page. */
function createFirstUsers({ control }: Simulator): number {
  const you = control.createPerson({ firstName: 'You', languageCode: 'en' });
  const friend = control.createPerson({ firstName: 'Nina', languageCode: 'en' });
  control.createChat({ type: 'supergroup', title: 'Weekend trip', memberIds: [you.id, friend.id] });
  control.createChat({ type: 'private', memberIds: [you.id] });
  return you.id;
}
