import { Composer } from 'grammy';
import { z } from 'zod';
import { SettingFixedError } from '../../core/stored-settings/index.ts';
import { readStartPayload } from '../../lib/start-link.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import { type ActionAnswer, type CallbackActionsOf, onAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../kit/keyboards.ts';
import { publishAdminCommands } from '../kit/profile.ts';
import type { BotServices } from '../kit/services.ts';
import { showView } from '../kit/views.ts';
import { createWrongCodes } from '../kit/wrong-codes.ts';

const actions = { 'decide-first-access': { fields: { isPrivate: z.boolean() } } };

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** The link on the operator's terminal, by which the first user of an open bot becomes its admin and may close it. */
export const firstAdmin: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  const wrongCodes = createWrongCodes(services.clock);
  composer.chatType('private').command('start', async (ctx, next) => {
    const code = readStartPayload(ctx.match, 'admin');
    if (code === undefined || wrongCodes.areTooMany(ctx.from.id)) return next();
    const outcome = await becomeAdmin(services, ctx.from.id, code);
    if (outcome === 'wrong') wrongCodes.add(ctx.from.id);
    const words = texts[ctx.locale];
    if (outcome === 'wrong') return void (await ctx.reply(words.over));
    if (outcome !== 'admin') return void (await ctx.reply(words.impossible(outcome)));
    const rows = [
      [{ text: words.buttons.private, action: { kind: 'decide-first-access', isPrivate: true } }],
      [{ text: words.buttons.everyone, action: { kind: 'decide-first-access', isPrivate: false } }],
    ] as const;
    const keyboard = await storeKeyboard(services, toButtonTarget(ctx), rows);
    await showView(ctx, { text: words.isAdmin, keyboard });
    return publishAdminCommands(services, ctx.from.id);
  });
  composer.use(
    onAction(services, 'decide-first-access', (ctx, { isPrivate }) => decideAccess(services, ctx, isPrivate)),
  );
  return { middleware: composer };
}

/** @returns why nothing can be stored, if it is neither `admin` nor `wrong`. */
async function becomeAdmin(services: BotServices, telegramId: number, code: string): Promise<string> {
  try {
    const redeem = () => services.firstAdminCodes.redeem(code);
    if (!(await services.settingsEditor?.makeFirstAdmin(telegramId, redeem))) return 'wrong';
  } catch (error) {
    if (error instanceof SettingFixedError) return error.message;
    throw error;
  }
  services.logger.info({ telegramId }, 'first admin, by the link on the terminal');
  return 'admin';
}

async function decideAccess(services: BotServices, ctx: BotContext, isPrivate: boolean): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  if (ctx.user.role !== 'admin' || !ctx.from) return { hint: words.onlyAdmins, isAlert: true };
  const { id: telegramId } = ctx.from;
  const values = new Map([['variable:ALLOWED_IDS', String(telegramId)] as const]);
  // A list that is not empty makes the bot private.
  if (isPrivate && !services.administration.isPrivate)
    await services.settingsEditor?.change({ manager: { telegramId, keyId: undefined }, values });
  const text = services.administration.isPrivate ? words.isPrivate : words.isForEveryone;
  const afterwards = async () => {
    await showView(ctx, { text });
    // Some commands are for private services only.
    await publishAdminCommands(services, telegramId);
  };
  return { afterwards };
}

export const texts = defineTexts({
  en: {
    isAdmin: 'You are my admin now. Who may use me?',
    over: 'This link has been used, is older than an hour, or I have an admin already. A new one is on the terminal when the service starts without admins.',
    impossible: (reason: string) => `You can’t become an admin by this link: ${reason}.`,
    onlyAdmins: 'Only admins can decide this.',
    buttons: { private: 'Only people I let in', everyone: 'Everyone' },
    isPrivate:
      'Only people you let in can use me now. Others can ask for access, and I show you who asks; /invite makes links that let people in. /help lists the commands of admins.',
    isForEveryone: 'Everyone who finds me can use me. ALLOWED_IDS in the console makes me private later.',
  },
  ru: {
    isAdmin: 'Теперь вы мой администратор. Кому можно мной пользоваться?',
    over: 'Ссылка уже использована, старше часа, или администратор у меня уже есть. Новая появится в терминале, когда сервис запустится без администраторов.',
    impossible: (reason) => `Стать администратором по этой ссылке нельзя: ${reason}.`,
    onlyAdmins: 'Это решают только администраторы.',
    buttons: { private: 'Только тем, кого я пущу', everyone: 'Всем' },
    isPrivate:
      'Теперь мной могут пользоваться только те, кого вы пустите. Остальные могут попросить доступ, и я покажу вам, кто просит; /invite делает ссылки-приглашения. Команды администраторов: /help.',
    isForEveryone: 'Мной может пользоваться каждый, кто меня найдёт. Закрыть доступ можно в консоли: ALLOWED_IDS.',
  },
});
