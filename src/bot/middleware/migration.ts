import { Composer } from 'grammy';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';

/** Moves conversations and settings when a group becomes a supergroup and gets a new id. */
export function createMigrationFeature({
  conversations,
  groups,
}: Pick<BotDeps, 'conversations' | 'groups'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:migrate_to_chat_id', async (ctx) => {
    await conversations.moveChat(ctx.chat.id, ctx.message.migrate_to_chat_id);
    await groups.move(ctx.chat.id, ctx.message.migrate_to_chat_id);
  });
  return composer;
}
