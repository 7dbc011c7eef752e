import type { Bot, World } from '../world/world.ts';

/** Returns the bot with this token. */
export function findBot(world: World, token: string): Bot | undefined {
  return world.bots.find((bot) => bot.token === token);
}
