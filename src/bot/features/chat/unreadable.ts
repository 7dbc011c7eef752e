import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { toSenses } from '../../inputs/senses.ts';
import { texts } from './texts/index.ts';

/**
 * Stories, games and the like get an honest word; service messages (pins, joins, titles) get none. Files come here in
 * groups only: elsewhere they are kept.
 */
export function createUnreadableFeature(deps: Pick<BotDeps, 'transcription' | 'speech'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on(
    [
      'message:document',
      'message:voice',
      'message:audio',
      'message:video',
      'message:video_note',
      'message:animation',
      'message:sticker',
    ],
    (ctx) => ctx.reply(texts[ctx.locale].inGroups(toSenses(deps).listens)),
  );
  composer.on(['message:story', 'message:game', 'message:paid_media'], (ctx) =>
    ctx.reply(ctx.texts.unreadable(toSenses(deps))),
  );
  return composer;
}
