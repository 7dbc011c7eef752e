import { Composer } from 'grammy';
import { z } from 'zod';
import {
  type AdmittedGroup,
  MAX_INVITATION_LIFETIME_MS,
  MAX_INVITATION_USES,
} from '../../../core/administration/index.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import { shorten } from '../../../lib/text.ts';
import { findAccountName } from '../../kit/account-names.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { type ActionButton, storeKeyboard, toButtonTarget, toPairs } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView, type View } from '../../kit/views.ts';
import { listPlans } from '../access-requests/views.ts';
import { texts } from './texts.ts';

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
  'dismiss-group': { fields: { groupId: z.number() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/invite`, for admins of a private service: links that let users in, for a number of accounts and a time, and the groups
 * whose members have access.
 */
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
    onAction(services, 'dismiss-group', async (ctx, { groupId }) => {
      await services.groupAccess.setAdmitting(groupId, false, ctx.from?.id ?? 0);
      services.logger.info(
        { adminId: ctx.user.id, chatId: groupId, isOn: false },
        'access of the members of a group changed',
      );
      const afterwards = async () => showView(ctx, await toList(services, ctx));
      return { hint: texts[ctx.locale].dismissed, afterwards };
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
const MAX_TITLE_CHARACTERS = 40;

async function toList(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const all = await services.invitations.list();
  const shown = all.slice(0, MAX_LISTED);
  const lines = shown.map(({ id, useCount, maxUses, expiresAt, plan }) =>
    words.line(id, useCount, maxUses, expiresAt, plan),
  );
  const groups = await listGroups(services, ctx);
  const text = [
    ...[words.heading, ...(lines.length > 0 ? lines : [words.none])],
    ...(groups.length > 0 ? ['', words.groups, ...groups.map(({ line }) => line)] : []),
  ].join('\n');
  const revoke = shown.map(
    ({ id }): ActionButton => ({
      text: words.buttons.revoke(id),
      action: { kind: 'revoke-invitation', invitationId: id },
    }),
  );
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.create, action: { kind: 'draft-invitation', ...FIRST_DRAFT } }],
    ...toPairs(revoke),
    ...groups.map(({ button }) => [button]),
    [{ text: ctx.texts.buttons.close, action: { kind: 'close-menu' } }],
  ]);
  return { text, keyboard };
}

/** Returns the groups whose members were let in, each with a button that ends it. */
async function listGroups(services: BotServices, ctx: BotContext) {
  const admitted = await services.groupAccess.listAdmitted();
  return Promise.all(admitted.map((group) => toGroupLine(services, ctx, group)));
}

async function toGroupLine(services: BotServices, ctx: BotContext, group: AdmittedGroup) {
  const { chatId, admittedBy, isInForce } = group;
  const words = texts[ctx.locale];
  const title = shorten(toShownName(group.title ?? `${chatId}`), MAX_TITLE_CHARACTERS);
  const admin = admittedBy === undefined ? undefined : await findAccountName(services, admittedBy);
  const button: ActionButton = {
    text: words.buttons.dismiss(title),
    action: { kind: 'dismiss-group', groupId: chatId },
  };
  return { line: words.group(title, admin, isInForce), button };
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
