import { useState } from 'preact/hooks';
import { dollarsOf } from '../../../../bot/texts/money.ts';
import type { Budget } from '../../../api/types.ts';
import { type Resource, useResource } from '../../../api/use-resource.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Table } from '../../../ui/table.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useLocale, useOwnTexts, useTexts } from '../../../view-context.ts';
import { BudgetForm } from './budget-form.tsx';
import { AMOUNT_OF, PERIODS } from './periods.ts';
import { RaiseForm } from './raise-form.tsx';
import { texts } from './texts.ts';

interface BudgetCardProps {
  readonly title: string;
  /** Such as `person:5` or `instance`. */
  readonly scope: string;
}

/** Limits of a scope with what it has spent, and what changes them. */
export function BudgetCard({ title, scope }: BudgetCardProps) {
  const budget = useResource<Budget>(`api/budgets/${scope}`);
  return (
    <Card title={title}>
      <Loaded query={budget}>
        {(data) => (
          <>
            <BudgetTable title={title} budget={data} />
            <BudgetChanges budget={data} change={budget.change} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function BudgetTable({ title, budget }: { readonly title: string; readonly budget: Budget }) {
  const words = useOwnTexts(texts);
  const { unlimited } = useTexts();
  const locale = useLocale();
  const toText = (amount: number | null) => (amount === null ? unlimited : dollarsOf(locale, amount));
  const isInstance = budget.scope === 'instance';
  return (
    <Table
      label={title}
      rows={PERIODS}
      keyOf={(period) => period}
      columns={[
        { title: words.period, cell: (period) => words.periods[period] },
        { title: words.spent, isNumber: true, cell: (period) => dollarsOf(locale, budget.spent[period]) },
        { title: words.limit, isNumber: true, cell: (period) => toText(budget.effective[AMOUNT_OF[period]]) },
        {
          title: words.origin,
          cell: (period) => {
            if (budget[AMOUNT_OF[period]] !== null) return words.setHere;
            if (budget.configured[AMOUNT_OF[period]] === null) return '';
            return isInstance || budget.plan === null ? words.fromSettings : words.fromPlan(budget.plan);
          },
        },
      ]}
    />
  );
}

interface BudgetChangesProps {
  readonly budget: Budget;
  readonly change: Resource<Budget>['change'];
}

function BudgetChanges({ budget, change }: BudgetChangesProps) {
  const words = useOwnTexts(texts);
  const [open, setOpen] = useState<'set' | 'raise' | 'reset'>();
  const close = () => setOpen(undefined);
  const save = useAction(async (...options: Parameters<typeof change>) => {
    await change(...options);
    close();
  });
  const isSet = PERIODS.some((period) => budget[AMOUNT_OF[period]] !== null);
  const isLimited = PERIODS.some((period) => budget.effective[AMOUNT_OF[period]] !== null);
  return (
    <>
      <div class="buttons">
        <Button onPress={() => setOpen('set')}>{words.set}</Button>
        {isLimited && <Button onPress={() => setOpen('raise')}>{words.raise}</Button>}
        {isSet && (
          <Button kind="danger" onPress={() => setOpen('reset')}>
            {words.reset}
          </Button>
        )}
      </div>
      {open === 'set' && (
        <BudgetForm
          budget={budget}
          isRunning={save.isRunning}
          onSave={(body) => save.run('PUT', { body })}
          onClose={close}
        />
      )}
      {open === 'raise' && (
        <RaiseForm
          budget={budget}
          isRunning={save.isRunning}
          onSave={(body) => save.run('POST', { body, below: 'raise' })}
          onClose={close}
        />
      )}
      {open === 'reset' && (
        <Confirm
          title={words.reset}
          action={words.reset}
          isRunning={save.isRunning}
          onConfirm={() => save.run('DELETE')}
          onClose={close}
        >
          {words.resetBody}
        </Confirm>
      )}
    </>
  );
}
