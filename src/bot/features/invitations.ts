import { Composer } from 'grammy';
import { z } from 'zod';
import { MAX_INVITATION_LIFETIME_MS, MAX_INVITATION_USES } from '../../core/administration/index.ts';
import { toStartLink } from '../../lib/start-link.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { type ActionButton, storeKeyboard, toButtonTarget, toPairs } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import { showView, type View } from '../kit/views.ts';
import { listPlans } from './access-requests/views.ts';

const DAY_MS = 86_400_000;
const drafted = {
  uses: z.int().positive().max(MAX_INVITATION_USES),
  days: z
    .int()
    .positive()
    .max(MAX_INVITATION_LIFETIME_MS / DAY_MS),
  plan: z.string().optional(),
};

const actions = {
  'list-invitations': { fields: {} },
  'draft-invitation': { fields: drafted },
  'create-invitation': { fields: drafted },
  'revoke-invitation': { fields: { invitationId: z.number() } },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** `/invite`, for admins of a private service: links that let users in, for a number of accounts and a time. */
export const invitations: Feature = {
  commands: [
    { name: 'invite', menus: ['admin'], isForPrivateService: true, describe: (locale) => texts[locale].command },
  ],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  // Other users get the reply for an unknown command, and for an old button.
  const byAdmins = composer.filter(({ user }) => user.role === 'admin');
  byAdmins.chatType('private').command('invite', async (ctx) => {
    if (!services.administration.isPrivate) return void (await ctx.reply(texts[ctx.locale].openToAll));
    return showView(ctx, await toList(services, ctx));
  });
  byAdmins.use(
    onAction(services, 'list-invitations', (ctx) => ({
      afterwards: async () => showView(ctx, await toList(services, ctx)),
    })),
    onAction(services, 'draft-invitation', (ctx, draft) => ({
      afterwards: async () => showView(ctx, await toDraft(services, ctx, draft)),
    })),
    onAction(services, 'create-invitation', (ctx, draft) => create(services, ctx, draft)),
    onAction(services, 'revoke-invitation', async (ctx, { invitationId }) => {
      const isDone = await services.invitations.revoke(invitationId, { adminTelegramId: ctx.from?.id ?? 0 });
      if (isDone) services.logger.info({ adminId: ctx.user.id, invitationId }, 'invitation revoked');
      const afterwards = async () => showView(ctx, await toList(services, ctx));
      return { hint: isDone ? texts[ctx.locale].revoked : texts[ctx.locale].gone, afterwards };
    }),
  );
  return { middleware: composer };
}

type Draft = Pick<CallbackActionOf<'draft-invitation'>, 'uses' | 'days' | 'plan'>;

/** The link of a family: for one account, for a week. */
const FIRST_DRAFT: Draft = { uses: 1, days: 7 };
const USES = [1, 5, 25, 100];
const DAYS = [1, 7, 30, 90];
/** Invitations that fit into a message. */
const MAX_LISTED = 20;

async function toList(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const all = await services.invitations.list();
  const shown = all.slice(0, MAX_LISTED);
  const lines = shown.map(({ id, useCount, maxUses, expiresAt, plan }) =>
    words.line(id, useCount, maxUses, expiresAt, plan),
  );
  const text = [words.heading, ...(lines.length > 0 ? lines : [words.none])].join('\n');
  const revoke = shown.map(
    ({ id }): ActionButton => ({
      text: words.buttons.revoke(id),
      action: { kind: 'revoke-invitation', invitationId: id },
    }),
  );
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.create, action: { kind: 'draft-invitation', ...FIRST_DRAFT } }],
    ...toPairs(revoke),
    [{ text: ctx.texts.buttons.close, action: { kind: 'close-menu' } }],
  ]);
  return { text, keyboard };
}

async function toDraft(services: BotServices, ctx: BotContext, { uses, days, plan }: Draft): Promise<View> {
  const words = texts[ctx.locale];
  const draft = { uses, days, ...(plan !== undefined && { plan }) };
  const mark = (isChosen: boolean, text: string) => (isChosen ? `✓ ${text}` : text);
  const change = (text: string, changes: Draft): ActionButton => ({
    text,
    action: { kind: 'draft-invitation', ...changes },
  });
  const plans = listPlans(services);
  const planButtons = plans.length < 2 ? [] : [undefined, ...plans.slice(1, MAX_LISTED)];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    USES.map((count) => change(mark(count === uses, words.buttons.uses(count)), { ...draft, uses: count })),
    DAYS.map((count) => change(mark(count === days, words.buttons.days(count)), { ...draft, days: count })),
    ...toPairs(
      planButtons.map((name) =>
        change(mark(name === plan, name ?? words.buttons.usualPlan), {
          uses,
          days,
          ...(name !== undefined && { plan: name }),
        }),
      ),
    ),
    [{ text: words.buttons.createNow, action: { kind: 'create-invitation', ...draft } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-invitations' } }],
  ]);
  return { text: words.draft(uses, days, plan), keyboard };
}

async function create(services: BotServices, ctx: BotContext, { uses, days, plan }: Draft): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  if (plan !== undefined && !listPlans(services).includes(plan)) return { hint: words.noPlan, isAlert: true };
  const adminTelegramId = ctx.from?.id ?? 0;
  const created = await services.invitations.create({
    adminTelegramId,
    plan,
    maxUses: uses,
    lifetimeMs: days * DAY_MS,
  });
  if (!created) return { hint: words.full, isAlert: true };
  const { invitation, code } = created;
  services.logger.info({ adminId: ctx.user.id, invitationId: invitation.id }, 'invitation created');
  const link = toStartLink(services, ctx.me, 'invitation', code);
  return {
    afterwards: async () =>
      showView(ctx, {
        text: [words.created(invitation.id, uses, invitation.expiresAt), link, words.sendWithCare].join('\n\n'),
        keyboard: await storeKeyboard(services, toButtonTarget(ctx), [
          [{ text: ctx.texts.buttons.copyLink, copy_text: { text: link } }],
          [{ text: ctx.texts.buttons.back, action: { kind: 'list-invitations' } }],
        ]),
      }),
  };
}

const ENGLISH_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const RUSSIAN_DAY = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const englishUsers = (count: number) => pluralOf('en', count, { one: 'person', other: 'people' });
const englishDays = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });
const russianUsers = (count: number) =>
  pluralOf('ru', count, { one: 'человека', few: 'человек', many: 'человек', other: 'человек' });
const russianDays = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });

export const texts = defineTexts({
  en: {
    command: 'Invitation links',
    openToAll: 'The bot is open to everyone: ALLOWED_IDS is not set. No invitation is needed.',
    heading: 'Invitation links let people in without asking you.',
    none: 'There are none.',
    line: (id: number, useCount: number, maxUses: number, expiresAt: Date, plan?: string) =>
      `№ ${id}: ${useCount} of ${maxUses} used, until ${ENGLISH_DAY.format(expiresAt)} UTC${plan === undefined ? '' : `, plan ${plan}`}`,
    draft: (uses: number, days: number, plan: string | undefined) =>
      `A link for ${englishUsers(uses)}, for ${englishDays(days)}${plan === undefined ? '' : `, on the plan ${plan}`}.`,
    created: (id: number, maxUses: number, expiresAt: Date) =>
      `Invitation № ${id}, for ${englishUsers(maxUses)}, until ${ENGLISH_DAY.format(expiresAt)} UTC. I show the link only now:`,
    sendWithCare: 'Whoever opens it first may use me: send it only to those you mean.',
    buttons: {
      create: 'New link',
      createNow: 'Create the link',
      uses: (count: number): string => `${count} 👤`,
      days: (count: number): string => englishDays(count),
      usualPlan: 'usual plan',
      revoke: (id: number) => `Revoke № ${id}`,
    },
    revoked: 'The link no longer works. Those who have used it keep their access.',
    gone: 'This link no longer exists.',
    noPlan: 'This plan no longer exists.',
    full: 'There are 100 links already. Revoke some of them first.',
  },
  ru: {
    command: 'Ссылки-приглашения',
    openToAll: 'Мной могут пользоваться все: ALLOWED_IDS не задан. Приглашения не нужны.',
    heading: 'По ссылке-приглашению доступ открывается без просьбы к вам.',
    none: 'Их нет.',
    line: (id, useCount, maxUses, expiresAt, plan) =>
      `№ ${id}: использовано ${useCount} из ${maxUses}, до ${RUSSIAN_DAY.format(expiresAt)} UTC${plan === undefined ? '' : `, тариф ${plan}`}`,
    draft: (uses, days, plan) =>
      `Ссылка для ${russianUsers(uses)} на ${russianDays(days)}${plan === undefined ? '' : `, тариф ${plan}`}.`,
    created: (id, maxUses, expiresAt) =>
      `Приглашение № ${id} для ${russianUsers(maxUses)}, до ${RUSSIAN_DAY.format(expiresAt)} UTC. Ссылку я показываю только сейчас:`,
    sendWithCare: 'Мной сможет пользоваться тот, кто откроет её первым: отправляйте её только тем, кого имеете в виду.',
    buttons: {
      create: 'Новая ссылка',
      createNow: 'Создать ссылку',
      uses: (count) => `${count} 👤`,
      days: (count) => russianDays(count),
      usualPlan: 'обычный тариф',
      revoke: (id) => `Отозвать № ${id}`,
    },
    revoked: 'Ссылка больше не действует. Доступ тех, кто ею воспользовался, остаётся.',
    gone: 'Этой ссылки больше нет.',
    noPlan: 'Такого тарифа больше нет.',
    full: 'Ссылок уже 100. Сначала отзовите часть из них.',
  },
});
