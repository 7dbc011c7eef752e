import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';

/** A group that becomes a supergroup gets a new id: its conversations go on there. */
export function createMigrationFeature({ conversations }: Pick<BotDeps, 'conversations'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:migrate_to_chat_id', (ctx) =>
    conversations.moveChat(ctx.chat.id, ctx.message.migrate_to_chat_id),
  );
  return composer;
}
