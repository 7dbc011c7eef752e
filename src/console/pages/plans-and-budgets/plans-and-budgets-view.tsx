import { dollarsOf } from '../../../bot/texts/money.ts';
import type { Budget, Plan } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { toAddress } from '../../router.ts';
import { Card } from '../../ui/card.tsx';
import { Loaded, Paged } from '../../ui/loaded.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLocale, useOwnTexts } from '../../view-context.ts';
import { BudgetCard } from '../shared/budget/budget-card.tsx';
import { AMOUNT_OF, PERIODS } from '../shared/budget/periods.ts';
import { PlanCard } from './plan-card.tsx';
import { texts } from './texts.ts';

export function PlansAndBudgetsView() {
  const words = useOwnTexts(texts);
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
      <Loaded query={plans}>{({ data }) => data.map((plan) => <PlanCard key={plan.name} plan={plan} />)}</Loaded>
    </>
  );
}

const USER_SCOPE = /^person:(\d+)$/;

function BudgetList({ budgets }: { readonly budgets: readonly Budget[] }) {
  const words = useOwnTexts(texts);
  const locale = useLocale();
  const toText = (amount: number | null) => (amount === null ? '–' : dollarsOf(locale, amount));
  const amounts = PERIODS.map(
    (period): Column<Budget> => ({
      title: words.spentOf[period],
      isNumber: true,
      cell: ({ spent, effective }) => `${dollarsOf(locale, spent[period])} / ${toText(effective[AMOUNT_OF[period]])}`,
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
          cell: ({ scope }) => {
            const userId = USER_SCOPE.exec(scope)?.[1];
            return userId === undefined ? <code>{scope}</code> : <a href={toAddress('users', userId)}>{scope}</a>;
          },
        },
        ...amounts,
      ]}
    />
  );
}
