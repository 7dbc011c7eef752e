import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView, type View } from '../../kit/views.ts';
import { findTimeZone, findTimeZones, USUAL_TIME_ZONES } from '../../time-zones/time-zones.ts';
import { toSettingsView } from './main-settings.ts';
import { texts } from './texts.ts';

/** Setting for the time zone of times that the bot shows. */
export function createTimeZone(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-time-zones', (ctx) => ({
      afterwards: async () =>
        showView(
          ctx,
          await toTimeZonesView(services, ctx, texts[ctx.locale].timeZone.ask, USUAL_TIME_ZONES[ctx.locale]),
        ),
    })),
    onAction(services, 'select-time-zone', async (ctx, { timeZone }) => {
      if (findTimeZones(timeZone)[0] !== timeZone) return { hint: ctx.texts.staleButton };
      await changeTimeZone(services, ctx, timeZone);
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'ask-time-zone', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'time-zone', texts[ctx.locale].timeZone.askCity),
    })),
  );
  return composer;
}

/** Sets the time zone of a city or name that the user has sent, or offers those that it may mean. */
export async function setTimeZoneByText(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale].timeZone;
  const [first, ...others] = findTimeZones(text);
  if (first === undefined) return beginDialog(services, ctx, 'time-zone', words.unknown);
  if (others.length > 0) return showView(ctx, await toTimeZonesView(services, ctx, words.which, [first, ...others]));
  await changeTimeZone(services, ctx, first);
  await showView(ctx, await toSettingsView(services, ctx));
}

/** Repeated tasks of the user move with it. */
async function changeTimeZone({ accounts, tasks }: BotServices, ctx: BotContext, timeZone: string): Promise<void> {
  const { id, settings } = ctx.user;
  const { timeZone: before } = findTimeZone(settings, ctx.from?.language_code);
  ctx.user = await accounts.updateSettings(id, { timeZone });
  if (before !== timeZone) await tasks.changeTimeZone(id, { from: before, to: timeZone });
}

async function toTimeZonesView(
  services: BotServices,
  ctx: BotContext,
  text: string,
  names: readonly string[],
): Promise<View> {
  const { timeZone: chosen } = ctx.user.settings;
  const toRow = (name: string): ActionButton[] => [
    { text: `${name === chosen ? '✓ ' : ''}${name}`, action: { kind: 'select-time-zone', timeZone: name } },
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...names.map(toRow),
    [{ text: texts[ctx.locale].timeZone.other, action: { kind: 'ask-time-zone' } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-settings' } }],
  ]);
  return { text, keyboard };
}
