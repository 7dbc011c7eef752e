import { Composer } from 'grammy';
import type { MessageEntity } from 'grammy/types';
import { findLeadingCommand } from '../kit/address.ts';
import type { BotContext } from '../kit/context.ts';

/**
 * Makes `/NEW` mean `/new`, as phones begin words with a capital letter. Other names stay as they are, because the
 * answer repeats them.
 * @param names of commands, in lower case.
 */
export function createCommandCase(names: ReadonlySet<string>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on(['message', 'edited_message'], (ctx, next) => {
    const { msg } = ctx;
    const [written = ''] = findLeadingCommand(msg)?.slice(1).split('@') ?? [];
    const name = written.toLowerCase();
    if (name !== written && names.has(name)) {
      const rename = (text: string) => `/${name}${text.slice(name.length + 1)}`;
      if (msg.text !== undefined) msg.text = rename(msg.text);
      else if (msg.caption !== undefined) msg.caption = rename(msg.caption);
    }
    return next();
  });
  return composer;
}

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
