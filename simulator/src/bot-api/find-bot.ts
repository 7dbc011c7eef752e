import type { Bot, World } from '../world/world.ts';

/** The bot whose token stands in an address. */
export function findBot(world: World, token: string): Bot | undefined {
  return world.bots.find((bot) => bot.token === token);
}
