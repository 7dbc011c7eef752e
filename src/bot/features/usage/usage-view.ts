import type { UsageReport, UsageSum } from '../../../core/accounts/index.ts';
import type { Budgets } from '../../../core/limits/index.ts';
import { markPieces, type View } from '../../framework/view.ts';
import type { Texts } from '../../texts/locales.ts';
import { toShownName } from '../files/shown-name.ts';

/** As many as fit below a picture. */
const MAX_MODELS = 6;

/** What a person has used today and this month, by model, and what is left of the limits. */
export function toUsageView(texts: Texts, report: UsageReport, budgets: Budgets | undefined): View {
  const words = texts.account.usage;
  const models = report.byModel.slice(0, MAX_MODELS).map(({ model, ...sum }) => ({ name: toShownName(model), sum }));
  const moreCount = report.byModel.length - models.length;
  const used =
    report.month.requests === 0
      ? [words.none]
      : [
          words.today(describeSum(texts, report.today)),
          words.month(describeSum(texts, report.month)),
          '',
          words.byModel,
          ...models.map(({ name, sum }) => words.model(name, describeSum(texts, sum))),
          ...(moreCount > 0 ? [words.more(moreCount)] : []),
        ];
  const left = describeBudgets(texts, budgets);
  const text = [...used, ...(left.length > 0 ? ['', ...left] : [])].join('\n');
  // Telegram would make links of some names.
  return { text, entities: markPieces(text, 'code', ...models.map(({ name }) => name)) };
}

/** `12 requests, 34,500 tokens, 2 pictures, $0.12`: without what is not there. */
function describeSum(texts: Texts, sum: UsageSum): string {
  const words = texts.account.usage;
  return [
    words.requests(sum.requests),
    ...(sum.tokens > 0 ? [words.tokens(sum.tokens)] : []),
    ...(sum.pictures > 0 ? [words.pictures(sum.pictures)] : []),
    ...(sum.costUsd === undefined ? [] : [words.cost(sum.costUsd)]),
  ].join(', ');
}

function describeBudgets(texts: Texts, budgets: Budgets | undefined): string[] {
  const words = texts.account.usage;
  const { requests, tokens, pictures } = budgets ?? {};
  const lines = [
    ...(requests ? [words.leftRequests(requests.remaining, requests.limit)] : []),
    ...(tokens ? [words.leftTokens(tokens.remaining, tokens.limit)] : []),
    ...(pictures ? [words.leftPictures(pictures.remaining, pictures.limit)] : []),
  ];
  const day = tokens ?? pictures;
  if (lines.length === 0) return [];
  return [words.left, ...lines, ...(day ? [words.newDay(day.resetMs)] : [])];
}
