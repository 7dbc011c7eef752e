import { Composer } from 'grammy';
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
