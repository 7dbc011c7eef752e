import { Composer } from 'grammy';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/** Moves conversations and settings when a group becomes a supergroup and gets a new id. */
export function createMigrationFeature({ conversations, groups }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:migrate_to_chat_id', async (ctx) => {
    await conversations.moveChat(ctx.chat.id, ctx.message.migrate_to_chat_id);
    await groups.move(ctx.chat.id, ctx.message.migrate_to_chat_id);
  });
  return composer;
}
