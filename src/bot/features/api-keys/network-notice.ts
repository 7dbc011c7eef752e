import { Composer } from 'grammy';
import type { NewNetwork } from '../../../core/accounts/index.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, showView, toNameLine } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** Tells owners of keys about uses from new networks. */
export function createNetworkNotices(services: BotServices): Composer<BotContext> {
  services.keyUses.onNewNetwork((use) => sendNotice(services, use));
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'confirm-key-network', (ctx) => ({
      afterwards: () => conclude(ctx, texts[ctx.locale].confirmed),
    })),
    onAction(services, 'revoke-noticed-key', (ctx, { keyId }) => revoke(services, ctx, keyId)),
  );
  return composer;
}

function sendNotice(services: BotServices, { userId, keyId, network, route, at }: NewNetwork): void {
  services.notices.send(userId, async ({ user, chatId, locale }) => {
    const words = texts[locale];
    const key = await services.apiKeys.find(userId, keyId);
    if (!key) return undefined;
    const keyboard = await storeKeyboard(services, { userId: user.id, chatId }, [
      [
        { text: words.buttons.wasMe, action: { kind: 'confirm-key-network', keyId } },
        { text: words.buttons.revokeKey, action: { kind: 'revoke-noticed-key', keyId } },
      ],
    ]);
    const view = joinLines([
      { text: words.newNetwork },
      { text: '' },
      toNameLine(key.label),
      toNameLine(`${key.prefix}…`),
      { text: words.usedFrom(network, route, new Date(at)) },
      { text: '' },
      { text: words.askNetwork },
    ]);
    return { ...view, keyboard };
  });
}

async function revoke(services: BotServices, ctx: BotContext, keyId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const isRevoked = await services.apiKeys.revoke(ctx.user.id, keyId);
  if (isRevoked) services.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  const outcome = isRevoked ? words.noticedRevoked : words.gone;
  return { hint: outcome, afterwards: () => conclude(ctx, outcome) };
}

/** Replaces the question at the end of the notice, and its buttons, by the outcome. */
async function conclude(ctx: BotContext, outcome: string): Promise<void> {
  const message = ctx.callbackQuery?.message;
  const text = message && 'text' in message ? message.text : undefined;
  if (text === undefined) return;
  const facts = text.slice(0, text.lastIndexOf('\n\n'));
  const entities = message && 'entities' in message ? message.entities : undefined;
  await showView(ctx, { text: `${facts}\n\n${outcome}`, ...(entities && { entities }) });
}
