import type { ApiKey, UsageSum } from '../../../core/accounts/index.ts';
import { type BudgetAmounts, printScope } from '../../../core/limits/index.ts';
import { restrictCatalogue } from '../../../core/models/index.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, type Line, toNameLine } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** Returns the text of a key: use, costs, rules and state. @param notice last paragraph. */
export async function describeKey(services: BotServices, ctx: BotContext, key: ApiKey, notice?: string) {
  const words = texts[ctx.locale];
  const { lastUse, policy, previousExpiresAt, pausedAt } = key;
  const { month } = await services.usageReports.reportOnKey(ctx.user.id, key.id);
  const hasOldSecret = previousExpiresAt !== undefined && previousExpiresAt.getTime() > services.clock.now();
  const lines = [
    words.madeOn(key.createdAt),
    lastUse ? words.lastUsed(lastUse.at, lastUse.route, lastUse.network) : words.neverUsed,
    ...(month.requests > 0 ? [words.usedThisMonth(describeSum(ctx, month))] : []),
    ...(hasOldSecret ? [words.oldSecretUntil(previousExpiresAt)] : []),
    ...(pausedAt ? [words.pausedOn(pausedAt)] : []),
    ...(key.scope === 'manage' ? [words.manages] : []),
  ];
  return joinLines([
    toNameLine(key.label),
    toNameLine(`${key.prefix}…`),
    ...(policy.note === undefined ? [] : [{ text: policy.note }]),
    { text: '' },
    ...lines.map((text) => ({ text })),
    { text: '' },
    ...(await listSetRules(services, ctx, key)),
    ...(notice === undefined ? [] : [{ text: '' }, { text: notice }]),
  ]);
}

function describeSum(ctx: BotContext, { requests, tokens, images, costUsd }: UsageSum): string {
  const words = texts[ctx.locale];
  return [
    words.requests(requests),
    ...(tokens > 0 ? [words.tokens(tokens)] : []),
    ...(images > 0 ? [words.images(images)] : []),
    costUsd === undefined ? words.unknownCost : words.cost(costUsd),
  ].join(', ');
}

/** Returns the lines about models, expiry, limits and budget of a key. */
export async function describeRules(services: BotServices, ctx: BotContext, { id, policy }: ApiKey): Promise<Line[]> {
  const words = texts[ctx.locale];
  const budget = describeBudget(ctx, await services.budgets.readBudget(printScope({ kind: 'key', id })));
  const limits = describeLimits(ctx, policy);
  return [
    describeModels(services, ctx, policy.allowedModels),
    { text: describeExpiry(services, ctx, policy.expiresAt) },
    { text: limits.length === 0 ? words.noLimits : words.limits(limits.join(', ')) },
    { text: budget.length === 0 ? words.noBudget : words.budget(budget.join(', ')) },
  ];
}

/** Returns the lines about the rules that are set. */
async function listSetRules(services: BotServices, ctx: BotContext, key: ApiKey): Promise<readonly Line[]> {
  const words = texts[ctx.locale];
  const unset: readonly string[] = [words.allModels, words.neverExpires, words.noLimits, words.noBudget];
  const lines = (await describeRules(services, ctx, key)).filter(({ text }) => !unset.includes(text));
  return lines.length === 0 ? [{ text: words.noRules }] : lines;
}

function describeLimits(ctx: BotContext, { requestsPerMinute, tokensPerDay, atOnce }: ApiKey['policy']): string[] {
  const words = texts[ctx.locale];
  return [
    ...(requestsPerMinute === undefined ? [] : [words.requestsPerMinute(requestsPerMinute)]),
    ...(tokensPerDay === undefined ? [] : [words.tokensPerDay(tokensPerDay)]),
    ...(atOnce === undefined ? [] : [words.atOnce(atOnce)]),
  ];
}

export function describeBudget(ctx: BotContext, { usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts): string[] {
  const words = texts[ctx.locale];
  return [
    ...(usdPerDay === undefined ? [] : [words.perDay(usdPerDay)]),
    ...(usdPerMonth === undefined ? [] : [words.perMonth(usdPerMonth)]),
    ...(usdTotal === undefined ? [] : [words.inTotal(usdTotal)]),
  ];
}

/** Longest list of patterns in a view, in characters. */
const MAX_SHOWN_PATTERNS = 300;

function describeModels(
  { catalogue }: BotServices,
  ctx: BotContext,
  patterns: ApiKey['policy']['allowedModels'],
): Line {
  const words = texts[ctx.locale];
  if (patterns === undefined) return { text: words.allModels };
  const joined = patterns.join(', ');
  const shown = joined.length > MAX_SHOWN_PATTERNS ? `${joined.slice(0, MAX_SHOWN_PATTERNS)}…` : joined;
  const allowedCount = restrictCatalogue(catalogue, patterns).list().length;
  const text = words.models(shown, allowedCount, catalogue.list().length);
  // Code formatting, because Telegram would turn some names into links.
  return { text, mark: { type: 'code', from: text.indexOf(shown), length: shown.length } };
}

function describeExpiry({ clock }: BotServices, ctx: BotContext, expiresAt: Date | undefined): string {
  const words = texts[ctx.locale];
  if (!expiresAt) return words.neverExpires;
  return expiresAt.getTime() > clock.now() ? words.expires(expiresAt) : words.expired(expiresAt);
}
