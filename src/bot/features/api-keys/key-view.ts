import type { ApiKey } from '../../../core/accounts/index.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, markParts, showView, toNameLine, type View } from '../../kit/views.ts';
import { toConsoleLink } from '../console.ts';
import { describeKey, describeRules } from './describe-key.ts';
import { texts } from './texts.ts';

/** Shows the user's keys. */
export async function toListView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const own = await services.apiKeys.list(ctx.user.id);
  const { maxKeys } = services.apiKeys;
  const heading = own.length === 0 ? words.none : words.heading(own.length, maxKeys);
  const text = `${heading}\n\n${words.about(services.apiUrl)}`;
  const rows: KeyboardButton[][] = own.map((key) => [
    { text: toButtonText(services, ctx, key), action: { kind: 'show-key', keyId: key.id } },
  ]);
  if (own.length < maxKeys) {
    rows.push([{ text: words.buttons.make, action: { kind: 'make-key' } }]);
    if (ctx.user.role === 'admin') {
      rows.push([{ text: words.buttons.makeManaging, action: { kind: 'offer-manage-key' } }]);
    }
  }
  rows.push([{ text: ctx.texts.buttons.close, action: { kind: 'close-menu' } }]);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), rows);
  return { text, entities: markParts(text, 'code', services.apiUrl), keyboard };
}

/** Shows one key. @param notice last paragraph. */
export async function toKeyView(services: BotServices, ctx: BotContext, key: ApiKey, notice?: string): Promise<View> {
  const { buttons } = texts[ctx.locale];
  const { id: keyId } = key;
  const isPaused = key.pausedAt !== undefined;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: buttons.limits, action: { kind: 'show-key-limits', keyId } },
      { text: buttons.rotate, action: { kind: 'rotate-key', keyId } },
    ],
    [
      {
        text: isPaused ? buttons.resume : buttons.pause,
        action: { kind: 'pause-key', keyId, isPaused: !isPaused },
      },
      { text: buttons.revoke, action: { kind: 'revoke-key', keyId } },
    ],
    [
      { text: buttons.rename, action: { kind: 'rename-key', keyId } },
      { text: buttons.all, action: { kind: 'list-keys' } },
    ],
  ]);
  return { ...(await describeKey(services, ctx, key, notice)), keyboard };
}

/** Shows the rules of a key, and leads to its page of the console, where they are set. */
export async function toLimitsView(services: BotServices, ctx: BotContext, key: ApiKey): Promise<View> {
  const words = texts[ctx.locale];
  const link = await toConsoleLink(services, ctx, `keys/${key.id}`);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...link.rows,
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-key', keyId: key.id } }],
  ]);
  const lines = [toNameLine(key.label), { text: '' }, ...(await describeRules(services, ctx, key)), { text: '' }];
  return { ...joinLines([...lines, { text: words.aboutLimits }, { text: '' }, { text: link.text }]), keyboard };
}

/** Calls `handle` with the user's key after the button is answered; shows the list if the key no longer exists. */
export async function withKey(
  services: BotServices,
  ctx: BotContext,
  keyId: number,
  handle: (key: ApiKey) => Promise<void>,
): Promise<ActionAnswer> {
  // Writes pending uses first, so that the time of the last use is current.
  await services.keyUses.flush();
  const key = await services.apiKeys.find(ctx.user.id, keyId);
  return key ? { afterwards: () => handle(key) } : toGoneAnswer(services, ctx);
}

/** Says that a key no longer exists, and shows the others. */
export function toGoneAnswer(services: BotServices, ctx: BotContext): ActionAnswer {
  return {
    hint: texts[ctx.locale].gone,
    afterwards: async () => showView(ctx, await toListView(services, ctx)),
  };
}

function toButtonText({ clock }: BotServices, ctx: BotContext, key: ApiKey): string {
  const words = texts[ctx.locale];
  const { expiresAt } = key.policy;
  const isExpired = expiresAt !== undefined && expiresAt.getTime() <= clock.now();
  const state = isExpired ? words.isExpired : key.pausedAt ? words.isPaused : undefined;
  return [key.label, `${key.prefix}…`, ...(state === undefined ? [] : [state])].join(' · ');
}
