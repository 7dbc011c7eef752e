import { randomInt } from 'node:crypto';
import type { HttpPlugin } from './http/server.ts';
import { createId } from './lib/ids.ts';
import { createSimulator, type Simulator } from './simulator/create-simulator.ts';

/** Where the simulated Bot API is. */
export const SIMULATOR_PREFIX = '/simulator';

/** A simulated Telegram with somebody in it: a private chat with the bot, and a group of friends that it is in. */
export function createPlayground(): { simulator: Simulator; token: string; plugins: HttpPlugin[] } {
  const token = `${randomInt(100_000_000, 999_999_999)}:${createId('')}${createId('')}`;
  const simulator = createSimulator({
    bots: [{ token, username: 'switchboard_bot', firstName: 'Switchboard' }],
    limits: 'telegram',
    // Everybody is new at each start, as the chats are: nobody finds settings and conversations of people who are gone.
    firstNumber: randomInt(1_000_000_000),
  });
  const you = simulator.control.createPerson({ firstName: 'You', languageCode: 'en' });
  const friend = simulator.control.createPerson({ firstName: 'Nina', languageCode: 'en' });
  simulator.control.createChat({ type: 'supergroup', title: 'Weekend trip', memberIds: [you.id, friend.id] });
  simulator.control.createChat({ type: 'private', memberIds: [you.id] });
  const plugins = [
    { prefix: SIMULATOR_PREFIX, plugin: simulator.botApi, logLevel: 'warn' as const },
    { prefix: '/playground', plugin: simulator.playground, logLevel: 'warn' as const },
  ];
  return { simulator, token, plugins };
}
