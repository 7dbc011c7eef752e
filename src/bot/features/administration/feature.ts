import { Composer } from 'grammy';
import { z } from 'zod';
import type { AdminAction } from '../../../core/administration/index.ts';
import { GROUP_PLAN } from '../../../core/limits/index.ts';
import { shorten, toOneLine } from '../../../lib/text.ts';
import type { Locale } from '../../../texts/locale.ts';
import { findNameAndId } from '../../kit/account-names.ts';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Command, Feature } from '../../kit/feature.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { createAccess } from './access.ts';
import { createTakeDown } from './take-down.ts';
import { texts } from './texts.ts';

const actions = {
  'take-down-file': { fields: { fileId: z.string(), reason: z.string() } },
  unban: { fields: { telegramId: z.number() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

const toCommand = (name: keyof typeof texts.en.commands): Command => ({
  name,
  menus: ['admin'],
  ...((name === 'allow' || name === 'disallow') && { isForPrivateService: true }),
  describe: (locale) => texts[locale].commands[name],
});

/** Commands for admins: plans, bans, takedowns, the audit log, and the users of a private service. */
export const administration: Feature = {
  commands: (['plan', 'note', 'ban', 'unban', 'takedown', 'audit', 'allow', 'disallow'] as const).map(toCommand),
  actions,
  create(services) {
    const composer = new Composer<BotContext>();
    // Other users get the reply for an unknown command.
    const byAdmins = composer.filter(({ user }) => user.role === 'admin');
    byAdmins.use(createAccess(services));
    byAdmins
      .chatType('private')
      .use(createAudit(services), createPlans(services), createNotes(services), createTakeDown(services));
    return { middleware: composer };
  },
};

const MAX_ACTIONS = 20;
const MAX_NAME_CHARACTERS = 32;
/** Telegram's limit for a message, in UTF-16 units. */
const MAX_UNITS = 4096;
/** Actions whose subject is a user. */
const USER_ACTIONS: ReadonlySet<AdminAction['action']> = new Set([
  ...(['ban', 'unban', 'allow', 'disallow', 'plan', 'ignore-request', 'note'] as const),
]);

/** `/audit`: the latest actions of admins. */
function createAudit(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('audit', async (ctx) => {
    const { audit } = texts[ctx.locale];
    const actions = await services.administration.listActions(MAX_ACTIONS);
    if (actions.length === 0) return showView(ctx, { text: audit.none });
    const names = await findNames(services, ctx, new Set(actions.flatMap(listUsers)));
    let text = `${audit.heading}\n`;
    for (const action of actions) {
      const line = `\n${toLine(ctx.locale, action, names)}`;
      if (text.length + line.length > MAX_UNITS) break;
      text += line;
    }
    return showView(ctx, { text });
  });
  return composer;
}

/** Returns the Telegram ids of the users that an action names. */
function listUsers({ action, adminTelegramId, subject }: AdminAction): readonly string[] {
  return [`${adminTelegramId}`, ...(USER_ACTIONS.has(action) ? [subject] : [])];
}

/** Returns the notes and stored names of users, else what Telegram says. Ids unknown to Telegram are left out. */
async function findNames(
  { management }: BotServices,
  { api }: BotContext,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const stored = await management.findNames(Array.from(ids, Number).filter(Number.isSafeInteger));
  const found = await Promise.all(
    Array.from(ids, async (id) => {
      const name = stored.get(Number(id));
      if (name !== undefined) return [id, name] as const;
      const chat = await api.getChat(Number(id)).catch(() => undefined);
      return [id, [chat?.first_name, chat?.last_name].filter(Boolean).join(' ')] as const;
    }),
  );
  return new Map(found.filter(([, name]) => name !== ''));
}

function toLine(locale: Locale, adminAction: AdminAction, names: ReadonlyMap<string, string>): string {
  const { audit } = texts[locale];
  const toUser = (id: string) => {
    const name = names.get(id);
    return name === undefined ? id : `${shorten(toShownName(name), MAX_NAME_CHARACTERS)} (${id})`;
  };
  const subject = USER_ACTIONS.has(adminAction.action) ? toUser(adminAction.subject) : toShownName(adminAction.subject);
  const line = audit.line(
    adminAction.createdAt,
    toUser(`${adminAction.adminTelegramId}`),
    audit.actionTexts[adminAction.action](subject),
  );
  return adminAction.reason === ''
    ? line
    : `${line}${audit.because(toShownName(adminAction.reason.replace(/\s+/g, ' ')))}`;
}

/** Plans that exist without being configured. */
const BUILT_IN = ['free', 'admin'] as const;
/** Argument that resets a plan. */
const RESET_ARGUMENT = 'default';

/** `/plan id name`: assigns a plan to a user, or to a group that pays for itself. */
function createPlans(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('plan', async (ctx) => void (await ctx.reply(await changePlan(services, ctx))));
  return composer;
}

async function changePlan(services: BotServices, ctx: BotContext): Promise<string> {
  const words = texts[ctx.locale].plans;
  const names = [...new Set([...services.limits.planNames, ...BUILT_IN])];
  const [id = '', plan] = ctx.match?.toString().trim().split(/\s+/) ?? [];
  if (!/^-?[1-9]\d{0,15}$/.test(id)) return words.howTo(names.join(', '));
  const holder = await findHolder(services, Number(id));
  if (!holder) return words.unknownUser(id);
  const name = await findNameAndId(services, Number(id));
  if (plan === undefined) return words.current(name, holder.plan);
  if (plan !== RESET_ARGUMENT && !names.includes(plan)) return words.unknownPlan(plan, names.join(', '));
  const changed = await holder.setPlan(plan === RESET_ARGUMENT ? undefined : plan);
  const adminTelegramId = ctx.user.telegramId ?? 0;
  await services.administration.record({ adminTelegramId, action: 'plan', subject: id, reason: changed });
  services.logger.info({ adminId: ctx.user.id, telegramId: Number(id), plan: changed }, 'plan changed');
  return words.changed(name, changed);
}

const MAX_NOTE_CHARACTERS = 100;

/** `/note id text`: writes a note about a user, which admins see in place of the number. */
function createNotes(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('note', async (ctx) => void (await ctx.reply(await changeNote(services, ctx))));
  return composer;
}

async function changeNote(services: BotServices, ctx: BotContext): Promise<string> {
  const { accounts, management } = services;
  const words = texts[ctx.locale].notes;
  const [, id = '', text = ''] = /^([1-9]\d{0,15})(?:\s+([\s\S]*))?$/.exec(ctx.match?.toString().trim() ?? '') ?? [];
  if (id === '') return words.howTo;
  const user = await accounts.findTelegramUser(Number(id));
  if (!user) return texts[ctx.locale].plans.unknownUser(id);
  const note = Array.from(toOneLine(text)).slice(0, MAX_NOTE_CHARACTERS).join('').trim() || undefined;
  const nameBefore = await findNameAndId(services, Number(id));
  const manager = { userId: ctx.user.id, telegramId: ctx.from?.id ?? 0, keyId: undefined };
  await management.changeNote({ manager, check: () => {}, userId: user.id }, note);
  return note === undefined ? words.removed(nameBefore) : words.changed(nameBefore, note);
}

/** User or group with a plan. `setPlan` resolves with the plan that applies now. */
interface PlanHolder {
  readonly plan: string;
  setPlan(plan: string | undefined): Promise<string>;
}

/** Ids of groups are negative. */
async function findHolder({ accounts, groups }: BotServices, telegramId: number): Promise<PlanHolder | undefined> {
  if (telegramId < 0) {
    const { plan = GROUP_PLAN } = await groups.find(telegramId);
    return { plan, setPlan: async (chosen) => (await groups.setPlan(telegramId, chosen)).plan ?? GROUP_PLAN };
  }
  const user = await accounts.findTelegramUser(telegramId);
  return user && { plan: user.plan, setPlan: async (chosen) => (await accounts.setPlan(user.id, chosen)).plan };
}
