import { Composer } from 'grammy';
import type { NewSecret } from '../../../core/accounts/index.ts';
import { findExcess } from '../../../core/limits/index.ts';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, showView, toKeyLine } from '../../kit/views.ts';
import { describeBudget } from './describe-key.ts';
import { MAX_NAME, toBudgetedName, toLabel } from './key-names.ts';
import { toGoneAnswer, withKey } from './key-view.ts';
import { texts } from './texts.ts';

const HOUR_MS = 3_600_000;
const OVERLAPS_MS = [0, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS];

/** Creates keys and gives them new secrets. */
export function createKeySecrets(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'make-key', async (ctx) => {
      const words = texts[ctx.locale];
      if (await hasAllKeys(services, ctx)) return { hint: words.full(services.apiKeys.maxKeys), isAlert: true };
      return { afterwards: () => beginDialog(services, ctx, 'key-name', words.askName) };
    }),
    onAction(services, 'offer-manage-key', (ctx) => ({ afterwards: () => showManageOffer(services, ctx) })),
    onAction(services, 'make-manage-key', async (ctx) => {
      const words = texts[ctx.locale];
      if (ctx.user.role !== 'admin') return { hint: words.onlyAdmins, isAlert: true };
      if (await hasAllKeys(services, ctx)) return { hint: words.full(services.apiKeys.maxKeys), isAlert: true };
      return { afterwards: () => beginDialog(services, ctx, 'manage-key-name', words.askName) };
    }),
    onAction(services, 'rotate-key', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, async (key) => {
        const words = texts[ctx.locale];
        const { prefix } = key;
        const toButton = (overlapMs: number): ActionButton => ({
          text: words.overlaps(overlapMs / HOUR_MS),
          action: { kind: 'rotate-key-now', keyId, overlapMs, prefix },
        });
        const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
          OVERLAPS_MS.slice(0, 2).map(toButton),
          OVERLAPS_MS.slice(2).map(toButton),
          [{ text: ctx.texts.buttons.back, action: { kind: 'show-key', keyId } }],
        ]);
        await showView(ctx, { text: words.askRotate(key.label), keyboard });
      }),
    ),
    onAction(services, 'rotate-key-now', async (ctx, { keyId, overlapMs, prefix }) => {
      const words = texts[ctx.locale];
      const rotated = OVERLAPS_MS.includes(overlapMs)
        ? await services.apiKeys.rotate(ctx.user.id, keyId, overlapMs, prefix)
        : undefined;
      if (!rotated) {
        const isThere = await services.apiKeys.find(ctx.user.id, keyId);
        // A second press must not end the secret that is to work on.
        return isThere ? { hint: words.alreadyRotated, isAlert: true } : toGoneAnswer(services, ctx);
      }
      services.logger.info({ userId: ctx.user.id, keyId, overlapMs }, 'API key rotated');
      const { label, previousExpiresAt } = rotated.key;
      const heading = words.rotated(label, previousExpiresAt);
      return { afterwards: () => showSecret(services, ctx, rotated, heading) };
    }),
  );
  return composer;
}

/** Creates a key with the given name and shows its secret, which is not stored. */
export async function makeKeyByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  scope: 'use' | 'manage' = 'use',
): Promise<void> {
  const words = texts[ctx.locale];
  const { name, budget } = toBudgetedName(text);
  const label = toLabel(name);
  if (scope === 'manage' && ctx.user.role !== 'admin') return void (await ctx.reply(words.onlyAdmins));
  const dialog = scope === 'manage' ? 'manage-key-name' : 'key-name';
  if (label === undefined) return beginDialog(services, ctx, dialog, words.badName(MAX_NAME));
  if (!budget) return beginDialog(services, ctx, dialog, words.badBudget);
  const { id: userId, plan } = ctx.user;
  const excess = findExcess(budget, await services.limits.readKeyBudget({ userId, plan }));
  if (excess) return beginDialog(services, ctx, dialog, words.highBudget(excess.mostUsd));
  const made = await services.apiKeys.create(userId, label, { scope, budget });
  if (!made) return void (await ctx.reply(words.full(services.apiKeys.maxKeys)));
  services.logger.info({ userId: ctx.user.id, keyId: made.key.id, scope }, 'API key created');
  const amounts = describeBudget(ctx, budget).join(', ');
  await showSecret(
    services,
    ctx,
    made,
    amounts === '' ? words.made(label) : `${words.made(label)}\n${words.budget(amounts)}`,
  );
}

async function showSecret(
  services: BotServices,
  ctx: BotContext,
  { key, secret }: NewSecret,
  heading: string,
): Promise<void> {
  const words = texts[ctx.locale];
  const view = joinLines([
    { text: heading },
    { text: '' },
    toKeyLine(secret),
    { text: '' },
    { text: key.scope === 'manage' ? words.managesByApi : words.baseUrl(services.apiUrl) },
  ]);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.copy, copy_text: { text: secret } }],
    [{ text: words.buttons.hide, action: { kind: 'list-keys' } }],
  ]);
  await showView(ctx, { ...view, keyboard });
}

async function showManageOffer(services: BotServices, ctx: BotContext): Promise<void> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.makeManagingNow, action: { kind: 'make-manage-key' } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-keys' } }],
  ]);
  await showView(ctx, { text: words.aboutManaging, keyboard });
}

async function hasAllKeys(services: BotServices, ctx: BotContext): Promise<boolean> {
  return (await services.apiKeys.list(ctx.user.id)).length >= services.apiKeys.maxKeys;
}
