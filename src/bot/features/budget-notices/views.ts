import type { ApiKey } from '../../../core/accounts/index.ts';
import { type BudgetNotice, type CurrentBudget, isGroup } from '../../../core/budget-notices/index.ts';
import type { Locale } from '../../../texts/locale.ts';
import { formatMoment } from '../../../texts/moment.ts';
import { type KeyboardButton, storeKeyboard, toPairs } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, type Line, toNameLine, type View } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** Chat that a notice is shown in. */
export interface NoticeChat {
  readonly chatId: number;
  /** User that the buttons are stored for; undefined: no buttons. */
  readonly userId: number | undefined;
  readonly locale: Locale;
  readonly timeZone: string | undefined;
}

/** Changes of the keys that a notice is about, since it was shown. */
export interface KeyNews {
  /** The user is asked to confirm. */
  readonly asksToRevoke?: boolean;
  readonly revokedKey?: ApiKey;
  readonly allArePaused?: boolean;
}

/** Returns a notice that tells what is true now. */
export async function toNoticeView(
  services: BotServices,
  notice: BudgetNotice,
  chat: NoticeChat,
  news: KeyNews = {},
): Promise<View> {
  const budget = await services.budgetNotices.readBudget(notice);
  const activeKey = await findKey(services, notice);
  const shown = { notice, budget, key: activeKey ?? news.revokedKey, chat };
  const { text, entities } = joinLines([...describeBudget(shown), ...describeNews(shown, activeKey, news)]);
  const { userId, chatId } = chat;
  const rows = userId === undefined ? [] : await listButtons(services, { ...shown, activeKey, userId }, news);
  const keyboard = userId === undefined ? undefined : await storeKeyboard(services, { userId, chatId }, rows);
  return { text, entities, keyboard };
}

interface ShownNotice {
  readonly notice: BudgetNotice;
  /** Undefined if it does not apply any more. */
  readonly budget: CurrentBudget | undefined;
  readonly key: ApiKey | undefined;
  readonly chat: NoticeChat;
}

async function findKey(services: BotServices, { scope }: BudgetNotice): Promise<ApiKey | undefined> {
  const ownerId = scope.kind === 'key' ? await services.budgetNotices.findOwner(scope) : undefined;
  return scope.kind === 'key' && ownerId !== undefined ? services.apiKeys.find(ownerId, scope.id) : undefined;
}

function describeBudget({ notice, budget, key, chat }: ShownNotice): readonly Line[] {
  const words = texts[chat.locale];
  const { period, resetsAt } = notice;
  const names = key ? [toNameLine(key.label), toNameLine(`${key.prefix}…`)] : [];
  if (!budget) return [{ text: words.over(toName(notice, chat.locale)) }, ...names];
  const reset =
    resetsAt === undefined ? words.neverResets : words.resets(formatMoment(chat.locale, resetsAt, chat.timeZone));
  return [
    { text: toHeading(notice, budget, chat.locale) },
    { text: '' },
    ...names,
    { text: words.periods[period](budget.spentUsd, budget.limitUsd) },
    { text: reset },
  ];
}

function toHeading(notice: BudgetNotice, { spentUsd, limitUsd }: CurrentBudget, locale: Locale): string {
  const words = texts[locale];
  const name = toName(notice, locale);
  if (spentUsd >= limitUsd) return words.usedUp(name);
  const wasRefused = notice.level === 100 && notice.raisedByUsd === undefined && limitUsd === notice.limitUsd;
  return wasRefused ? words.almostUsedUp(name) : words.spent(name, Math.floor((spentUsd / limitUsd) * 100));
}

function toName({ scope }: BudgetNotice, locale: Locale): string {
  if (scope.kind === 'user') return texts[locale].budgets.own;
  return texts[locale].budgets[isGroup(scope) ? 'group' : scope.kind];
}

function describeNews({ notice, chat }: ShownNotice, activeKey: ApiKey | undefined, news: KeyNews): readonly Line[] {
  const words = texts[chat.locale];
  const lines = [
    ...(notice.raisedByUsd === undefined ? [] : [words.raised(notice.raisedByUsd)]),
    ...(activeKey?.pausedAt ? [words.keyPaused] : []),
    ...(notice.scope.kind === 'key' && !activeKey ? [words.keyRevoked] : []),
    ...(news.allArePaused ? [words.allPaused] : []),
    ...(news.asksToRevoke && activeKey ? [words.askRevoke] : []),
  ];
  return lines.length === 0 ? [] : [{ text: '' }, ...lines.map((text) => ({ text }))];
}

async function listButtons(
  services: BotServices,
  { notice, budget, activeKey, chat, userId }: ShownNotice & { readonly activeKey: ApiKey | undefined; userId: number },
  { asksToRevoke, allArePaused }: KeyNews,
): Promise<readonly (readonly KeyboardButton[])[]> {
  const { buttons } = texts[chat.locale];
  const noticeId = notice.id;
  if (asksToRevoke && activeKey) {
    return [
      [
        { text: buttons.revokeNow, action: { kind: 'revoke-key-of-notice', noticeId } },
        { text: buttons.keep, action: { kind: 'show-budget-notice', noticeId } },
      ],
    ];
  }
  const isRevoked = notice.scope.kind === 'key' && !activeKey;
  const rows = budget && !isRevoked ? await listRaiseButtons(services, notice, budget, chat.locale) : [];
  if (activeKey) {
    const isPaused = activeKey.pausedAt !== undefined;
    rows.push([
      {
        text: isPaused ? buttons.resume : buttons.pause,
        action: { kind: 'pause-noticed-key', noticeId, isPaused: !isPaused },
      },
      { text: buttons.revoke, action: { kind: 'ask-to-revoke-noticed-key', noticeId } },
    ]);
  }
  if (notice.scope.kind === 'user' && !allArePaused) {
    const keys = await services.apiKeys.list(userId);
    if (keys.some(({ pausedAt }) => pausedAt === undefined))
      rows.push([{ text: buttons.pauseAll, action: { kind: 'pause-all-keys', noticeId } }]);
  }
  return rows;
}

async function listRaiseButtons(
  services: BotServices,
  notice: BudgetNotice,
  budget: CurrentBudget,
  locale: Locale,
): Promise<KeyboardButton[][]> {
  const { buttons } = texts[locale];
  const { id: noticeId, scope, limitUsd } = notice;
  if (notice.raisedByUsd !== undefined) return [];
  const raises = (await services.budgetNotices.listRaises(notice, budget)).map(
    (byUsd): KeyboardButton => ({
      text: buttons.raise(byUsd),
      action: isGroup(scope)
        ? { kind: 'raise-group-budget', noticeId, limitUsd, byUsd }
        : { kind: 'raise-budget', noticeId, limitUsd, byUsd },
    }),
  );
  return toPairs(raises);
}
