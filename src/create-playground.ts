import { randomInt } from 'node:crypto';
import { createSimulator, parseSnapshot, type Simulator } from 'telegram-bot-simulator';
import type { HttpPlugin } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import { createId } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { openStateFile } from './lib/state-file.ts';

/** Where the simulated Bot API is. */
export const SIMULATOR_PREFIX = '/simulator';
/** What links to Telegram begin with, instead of `https://t.me`. */
export const PLAYGROUND_TELEGRAM = '/playground/t.me';
/** A snapshot is bounded to a few megabytes. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

export interface Playground {
  readonly token: string;
  /** Telegram id of "You". */
  readonly ownerId: number;
  readonly plugins: readonly HttpPlugin[];
  /** Calls `listener` after every change of the bot's settings, which a bot at Telegram has to be restarted for. */
  onBotChange(listener: () => void): void;
  /** Ends everything that waits, and saves the last state. */
  close(): Promise<void>;
}

/**
 * Opens the simulated Telegram as the last process left it in `directory`. At the first start it has two people, a group of both, and a
 * private chat with the bot.
 */
export async function openPlayground(
  deps: { readonly clock: Clock; readonly logger: Logger },
  directory: string,
): Promise<Playground> {
  const file = await openStateFile(deps, { directory, name: 'world.json', maxBytes: MAX_STATE_BYTES });
  const snapshot = await file.read(parseSnapshot);
  const token = snapshot?.bots[0]?.token ?? `${randomInt(100_000_000, 999_999_999)}:${createId('')}${createId('')}`;
  const simulator = createSimulator({
    bots: [{ token, username: 'switchboard_bot', firstName: 'Switchboard' }],
    limits: 'telegram',
    // A new world has new ids: the database may still know people of a world that is lost.
    firstNumber: randomInt(1_000_000_000),
    snapshot,
  });
  const ownerId = snapshot?.people[0]?.id ?? createFirstUsers(simulator);
  file.save(() => JSON.stringify(simulator.takeSnapshot()));
  simulator.onChange(() => file.save(() => JSON.stringify(simulator.takeSnapshot())));
  return {
    token,
    ownerId,
    plugins: [
      { prefix: SIMULATOR_PREFIX, plugin: simulator.botApi, logLevel: 'warn' as const },
      { prefix: '/playground', plugin: simulator.playground, logLevel: 'warn' as const },
    ],
    onBotChange(listener) {
      simulator.control.subscribe(({ type }) => {
        if (type === 'bot') listener();
      });
    },
    async close() {
      simulator.close();
      await file.close();
    },
  };
}

/** @returns the id of the person whom the page shows first. */
function createFirstUsers({ control }: Simulator): number {
  const you = control.createPerson({ firstName: 'You', languageCode: 'en' });
  const friend = control.createPerson({ firstName: 'Nina', languageCode: 'en' });
  control.createChat({ type: 'supergroup', title: 'Weekend trip', memberIds: [you.id, friend.id] });
  control.createChat({ type: 'private', memberIds: [you.id] });
  return you.id;
}
