import { Composer } from 'grammy';
import { type ApiKey, createKeyPolicySchemas, SetByAdminError } from '../../../core/accounts/index.ts';
import { AMOUNT_FIELDS, BUDGET_PERIODS, printScope } from '../../../core/limits/index.ts';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { type ActionButton, type KeyboardButton, storeKeyboard, toButtonTarget, toPairs } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, type Line, showView, toNameLine, type View } from '../../kit/views.ts';
import { describeRules } from './describe-key.ts';
import { KEY_RULES, type KeyChange, type KeyRule, NO_RULE, OFFERED_VALUES, parseKeyRule } from './key-rules.ts';
import { toGoneAnswer, withKey } from './key-view.ts';
import { texts } from './texts.ts';

/** Providers offered as buttons; models of others can be typed. */
const MAX_PROVIDERS = 12;

/** Page *Limits* of a key: models, expiry, limits and budget. */
export function createKeyLimits(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'show-key-limits', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, async (key) => showView(ctx, await toLimitsView(services, ctx, key))),
    ),
    onAction(services, 'choose-key-rule', (ctx, { keyId, rule }) =>
      withKey(services, ctx, keyId, async (key) => showView(ctx, await toRuleView(services, ctx, key, rule))),
    ),
    onAction(services, 'set-key-rule', async (ctx, { keyId, rule, value }) => {
      const change = parseKeyRule(rule, value, services.clock.now());
      const excess = change && (await findExcess(services, ctx, keyId, change));
      if (excess !== undefined) return { hint: excess, isAlert: true };
      const key = change && (await applyChange(services, ctx, keyId, change));
      if (!key) return toGoneAnswer(services, ctx);
      const hint = texts[ctx.locale].changed;
      return { hint, afterwards: async () => showView(ctx, await toLimitsView(services, ctx, key)) };
    }),
    onAction(services, 'switch-key-provider', async (ctx, { keyId, provider }) => {
      const key = await services.apiKeys.find(ctx.user.id, keyId);
      if (!key) return toGoneAnswer(services, ctx);
      const allowedModels = switchProvider(key, provider);
      const { success } = createKeyPolicySchemas(services.clock.now())
        .allowedModels.optional()
        .safeParse(allowedModels);
      if (!success) return { hint: texts[ctx.locale].rules.models.bad, isAlert: true };
      const changed = await applyChange(services, ctx, keyId, { policy: { allowedModels } });
      if (!changed) return toGoneAnswer(services, ctx);
      return { afterwards: async () => showView(ctx, await toRuleView(services, ctx, changed, 'models')) };
    }),
    onAction(services, 'type-key-rule', (ctx, { keyId, rule }) =>
      withKey(services, ctx, keyId, () =>
        beginDialog(services, ctx, 'key-rule', texts[ctx.locale].rules[rule].ask, toSubject(rule, keyId)),
      ),
    ),
  );
  return composer;
}

/** Sets a rule of a key to the value that the user sent. */
export async function setKeyRuleByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  subject: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale];
  const { rule, keyId } = readSubject(subject);
  if (rule === undefined) return void (await ctx.reply(words.gone));
  const change = parseKeyRule(rule, text, services.clock.now());
  const problem = change ? await findExcess(services, ctx, keyId, change) : words.rules[rule].bad;
  if (!change || problem !== undefined) return beginDialog(services, ctx, 'key-rule', problem ?? '', subject);
  const key = await applyChange(services, ctx, keyId, change).catch((error: unknown) => {
    if (error instanceof SetByAdminError) return 'set-by-admin' as const;
    throw error;
  });
  if (key === 'set-by-admin') return void (await ctx.reply(ctx.texts.setByAdmin));
  if (!key) return void (await ctx.reply(words.gone));
  await showView(ctx, await toLimitsView(services, ctx, key));
}

/**
 * Returns what is wrong with a budget above that of the user's plan, or above the one that an admin has set; undefined
 * for other changes. The budget of a key takes precedence over the plan, so the plan must bound it.
 */
async function findExcess(
  { budgets, limits }: BotServices,
  ctx: BotContext,
  keyId: number,
  change: KeyChange,
): Promise<string | undefined> {
  if (!('budget' in change)) return undefined;
  const { id: userId, plan } = ctx.user;
  const [allowed, stored] = await Promise.all([
    limits.readKeyBudget({ userId, plan }),
    budgets.readBudget(printScope({ kind: 'key', id: keyId })),
  ]);
  for (const period of BUDGET_PERIODS) {
    const field = AMOUNT_FIELDS[period];
    const most = Math.max(allowed[field] ?? Number.POSITIVE_INFINITY, stored[field] ?? 0);
    if ((change.budget[field] ?? 0) > most) return texts[ctx.locale].overPlan(most);
  }
  return undefined;
}

/**
 * Returns undefined if the user has no such key.
 * @throws SetByAdminError
 */
async function applyChange(
  services: BotServices,
  ctx: BotContext,
  keyId: number,
  change: KeyChange,
): Promise<ApiKey | undefined> {
  const isPolicy = 'policy' in change;
  const key = await services.apiKeys.change(ctx.user.id, keyId, isPolicy ? change.policy : {});
  if (!isPolicy && key?.adminRules.includes('budget')) throw new SetByAdminError(['budget']);
  if (key && !isPolicy) await services.budgets.setBudget(printScope({ kind: 'key', id: keyId }), change.budget);
  if (key) services.logger.info({ userId: ctx.user.id, keyId }, 'rules of an API key changed');
  return key;
}

async function toLimitsView(services: BotServices, ctx: BotContext, key: ApiKey): Promise<View> {
  const words = texts[ctx.locale];
  const { id: keyId } = key;
  const toButton = (rule: KeyRule): ActionButton => ({
    text: words.rules[rule].name,
    action: { kind: 'choose-key-rule', keyId, rule },
  });
  const [models, expiry, requests, tokens, ...budgets] = KEY_RULES;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [models, expiry].map(toButton),
    [requests, tokens].map(toButton),
    budgets.map(toButton),
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-key', keyId } }],
  ]);
  const lines = [toNameLine(key.label), { text: '' }, ...(await describeRules(services, ctx, key)), { text: '' }];
  return { ...joinLines([...lines, { text: words.aboutLimits }]), keyboard };
}

/** Shows the offered values of a rule. */
async function toRuleView(services: BotServices, ctx: BotContext, key: ApiKey, rule: KeyRule): Promise<View> {
  const words = texts[ctx.locale];
  const { id: keyId } = key;
  const toButton = (value: string): ActionButton => ({
    text: words.offered(value),
    action: { kind: 'set-key-rule', keyId, rule, value },
  });
  const rows: KeyboardButton[][] = [
    ...(rule === 'models' ? toProviderRows(services, key) : [OFFERED_VALUES[rule].map(toButton)]),
    [
      { text: words.rules[rule].none, action: { kind: 'set-key-rule', keyId, rule, value: NO_RULE } },
      { text: words.rules[rule].other, action: { kind: 'type-key-rule', keyId, rule } },
    ],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-key-limits', keyId } }],
  ];
  const [modelsLine] = await describeRules(services, ctx, key);
  const current: Line[] = rule === 'models' && modelsLine ? [modelsLine, { text: '' }] : [];
  const lines = [toNameLine(key.label), { text: '' }, ...current, { text: words.rules[rule].about }];
  return { ...joinLines(lines), keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Returns switches for all models of a provider, two in a row. */
function toProviderRows({ catalogue }: BotServices, { id: keyId, policy }: ApiKey): ActionButton[][] {
  const targets = catalogue.list().flatMap((entry) => entry.targets);
  const providers = [...new Set(targets.map(({ provider }) => provider))].slice(0, MAX_PROVIDERS);
  const buttons = providers.map((provider): ActionButton => {
    const isAllowed = policy.allowedModels?.includes(toPattern(provider)) ?? false;
    return {
      text: `${isAllowed ? '✓ ' : ''}${provider}`,
      action: { kind: 'switch-key-provider', keyId, provider },
    };
  });
  return toPairs(buttons);
}

/** Returns the allowed models with the provider added or removed; undefined, all models, if none are left. */
function switchProvider({ policy }: ApiKey, provider: string): readonly string[] | undefined {
  const { allowedModels = [] } = policy;
  const pattern = toPattern(provider);
  const others = allowedModels.filter((one) => one !== pattern);
  const changed = others.length < allowedModels.length ? others : [...others, pattern];
  return changed.length === 0 ? undefined : changed;
}

function toPattern(provider: string): string {
  return `${provider}/*`;
}

function toSubject(rule: KeyRule, keyId: number): string {
  return `${rule}:${keyId}`;
}

function readSubject(subject: DialogSubject): { readonly rule: KeyRule | undefined; readonly keyId: number } {
  const [name, keyId] = String(subject).split(':');
  return { rule: KEY_RULES.find((rule) => rule === name), keyId: Number(keyId) };
}
