import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';
import type { Budget, Plan } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { useCountFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { toAddress } from '../../router.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Loaded, Paged } from '../../ui/loaded.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLocale, useSharedTexts, useTexts } from '../../view-context.ts';
import { AMOUNT_OF, BudgetCard, findUserId, PERIODS, Spent } from '../shared/budget-card.tsx';
import { printUser } from '../shared/to-name.ts';

/** Budget of the instance, budgets that are set, and the limits of the plans. */
export const plansAndBudgetsPage: Page = {
  name: 'plans-and-budgets',
  title: { en: 'Plans and budgets', ru: 'Тарифы и бюджеты' },
  icon: 'money',
  isForAdmins: true,
  View: PlansAndBudgetsView,
};

function PlansAndBudgetsView() {
  const words = useTexts(texts);
  const plans = useQuery<List<Plan>>('api/plans');
  const budgets = usePages<Budget>('api/budgets?limit=50');
  return (
    <>
      <BudgetCard title={words.instance} scope="instance" />
      <Card title={words.budgets}>
        <Paged pages={budgets} empty={words.noBudgets}>
          {(items) => <BudgetList budgets={items} />}
        </Paged>
      </Card>
      <h2>{words.plans}</h2>
      <p class="dim">{words.plansHint}</p>
      <Loaded query={plans}>
        {({ data }) => (
          <div class="columns">
            {data.map((plan) => (
              <PlanCard key={plan.name} plan={plan} />
            ))}
          </div>
        )}
      </Loaded>
    </>
  );
}

function BudgetList({ budgets }: { readonly budgets: readonly Budget[] }) {
  const words = useTexts(texts);
  const locale = useLocale();
  const toText = (amount: number | null) => (amount === null ? '–' : dollarsOf(locale, amount));
  const amounts = PERIODS.map(
    (period): Column<Budget> => ({
      title: words.spentOf[period],
      isNumber: true,
      cell: (budget) => (
        <>
          <Spent budget={budget} period={period} /> / {toText(budget.effective[AMOUNT_OF[period]])}
        </>
      ),
    }),
  );
  return (
    <Table
      label={words.budgets}
      rows={budgets}
      keyOf={({ scope }) => scope}
      columns={[
        {
          title: words.scope,
          cell: ({ scope, name }) => {
            const userId = findUserId(scope);
            const label = printUser(scope, name);
            return userId === undefined ? <code>{label}</code> : <a href={toAddress('users', userId)}>{label}</a>;
          },
        },
        ...amounts,
      ]}
    />
  );
}

const HOLDERS = ['user', 'key', 'chat', 'address'] as const;
const LIMITS = [
  'requests_per_minute',
  'tokens_per_day',
  'images_per_day',
  'at_once',
  'dollars_per_day',
  'dollars_per_month',
  'dollars_total',
] as const;

/** Limits of a plan. */
function PlanCard({ plan }: { readonly plan: Plan }) {
  const words = useTexts(texts);
  const { yes, no } = useSharedTexts();
  const locale = useLocale();
  const formatCount = useCountFormat();
  const toText = (name: (typeof LIMITS)[number], limit: number | null | undefined) => {
    if (limit === null || limit === undefined) return '–';
    return name.startsWith('dollars') ? dollarsOf(locale, limit) : formatCount(limit);
  };
  const limits = LIMITS.filter((name) => HOLDERS.some((holder) => (plan[holder]?.[name] ?? null) !== null));
  return (
    <Card title={plan.name}>
      {limits.length === 0 ? (
        <p>{words.noLimits}</p>
      ) : (
        <Table
          label={words.limitsOf(plan.name)}
          rows={limits}
          keyOf={(name) => name}
          columns={[
            { title: words.limit, cell: (name) => words.limits[name] },
            ...HOLDERS.filter((holder) => plan[holder] !== null).map((holder) => ({
              title: words.holders[holder],
              isNumber: true,
              cell: (name: (typeof LIMITS)[number]) => toText(name, plan[holder]?.[name]),
            })),
          ]}
        />
      )}
      <Facts
        facts={[
          [words.unpriced, plan.allows_unpriced_models ? yes : no],
          [words.tasks, words.tasksOf(plan.tasks.active, plan.tasks.shortest_interval_minutes)],
        ]}
      />
    </Card>
  );
}

const texts = defineTexts({
  en: {
    instance: 'Budget of the whole service',
    budgets: 'Budgets set by admins',
    noBudgets: 'No user, key or chat has a budget of its own.',
    scope: 'For',
    spentOf: { day: 'Today', month: 'This month', total: 'In total' },
    plans: 'Plans',
    plansHint: 'Plans are changed on the page Service settings, or in the providers file.',
    noLimits: 'Nothing is limited.',
    limitsOf: (plan: string) => `Limits of ${plan}`,
    limit: 'Limit',
    limits: {
      requests_per_minute: 'Requests per minute',
      tokens_per_day: 'Tokens per day',
      images_per_day: 'Images per day',
      at_once: 'Requests at once',
      dollars_per_day: 'Dollars per day',
      dollars_per_month: 'Dollars per month',
      dollars_total: 'Dollars in total',
    },
    holders: { user: 'User', key: 'Key', chat: 'Group', address: 'Address' },
    unpriced: 'Models without a known price under a budget',
    tasks: 'Tasks',
    tasksOf: (active: number, minutes: number) => `up to ${active}, at least ${minutes} minutes apart`,
  },
  ru: {
    instance: 'Бюджет всего сервиса',
    budgets: 'Бюджеты, заданные администраторами',
    noBudgets: 'Ни у кого нет собственного бюджета.',
    scope: 'Для кого',
    spentOf: { day: 'Сегодня', month: 'В этом месяце', total: 'Всего' },
    plans: 'Тарифы',
    plansHint: 'Тарифы меняются на странице «Настройки сервиса» или в файле провайдеров.',
    noLimits: 'Ничего не ограничено.',
    limitsOf: (plan) => `Лимиты тарифа ${plan}`,
    limit: 'Лимит',
    limits: {
      requests_per_minute: 'Запросов в минуту',
      tokens_per_day: 'Токенов в день',
      images_per_day: 'Картинок в день',
      at_once: 'Запросов одновременно',
      dollars_per_day: 'Долларов в день',
      dollars_per_month: 'Долларов в месяц',
      dollars_total: 'Долларов всего',
    },
    holders: { user: 'Пользователь', key: 'Ключ', chat: 'Группа', address: 'Адрес' },
    unpriced: 'Модели без известной цены при бюджете',
    tasks: 'Задачи',
    tasksOf: (active, minutes) => `до ${active}, не чаще чем раз в ${minutes} мин`,
  },
});
