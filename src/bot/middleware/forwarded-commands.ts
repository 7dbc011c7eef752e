import { Composer } from 'grammy';
import type { MessageEntity } from 'grammy/types';
import type { BotContext } from '../kit/context.ts';

/**
 * Makes commands in forwarded messages, and in those of inline bots, plain text: others have written them, and the user
 * may not have read them.
 */
export function createForwardedCommands(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message', (ctx, next) => {
    const { message } = ctx;
    if (message.forward_origin || message.via_bot) {
      if (message.entities) message.entities = withoutCommands(message.entities);
      if (message.caption_entities) message.caption_entities = withoutCommands(message.caption_entities);
    }
    return next();
  });
  return composer;
}

function withoutCommands(entities: readonly MessageEntity[]): MessageEntity[] {
  return entities.filter(({ type }) => type !== 'bot_command');
}
