import { useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';
import type { Budget } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/use-resource.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, Field, toNumber } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useLocale, useSharedTexts, useTexts } from '../../view-context.ts';

interface BudgetCardProps {
  readonly title: string;
  /** A user's (`toUserScope`), or `instance`. */
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
  const words = useTexts(texts);
  const { unlimited } = useSharedTexts();
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
        { title: words.spent, isNumber: true, cell: (period) => <Spent budget={budget} period={period} /> },
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

/** Amount spent in a period, with a badge if the limit is reached. */
export function Spent({ budget, period }: { readonly budget: Budget; readonly period: Period }) {
  const words = useTexts(texts);
  const locale = useLocale();
  const limit = budget.effective[AMOUNT_OF[period]];
  return (
    <>
      {limit !== null && budget.spent[period] >= limit && <Badge kind="bad">{words.over}</Badge>}{' '}
      {dollarsOf(locale, budget.spent[period])}
    </>
  );
}

function BudgetChanges({ budget, change }: { readonly budget: Budget; readonly change: Resource<Budget>['change'] }) {
  const words = useTexts(texts);
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

interface BudgetFormProps {
  readonly budget: Budget;
  readonly isRunning: boolean;
  readonly onSave: (body: object) => void;
  readonly onClose: () => void;
}

/** Sets the limits of a scope. */
function BudgetForm({ budget, isRunning, onSave, onClose }: BudgetFormProps) {
  const words = useTexts(texts);
  const [values, setValues] = useState<Readonly<Record<Period, string>>>(() => ({
    day: `${budget.dollars_per_day ?? ''}`,
    month: `${budget.dollars_per_month ?? ''}`,
    total: `${budget.dollars_total ?? ''}`,
  }));
  return (
    <FormDialog
      title={words.set}
      isRunning={isRunning}
      onSubmit={() =>
        onSave(Object.fromEntries(PERIODS.map((period) => [AMOUNT_OF[period], toNumber(values[period])])))
      }
      onClose={onClose}
    >
      {PERIODS.map((period) => (
        <Field
          key={period}
          label={words.inDollars(words.periods[period])}
          type="number"
          value={values[period]}
          onChange={(value) => setValues((before) => ({ ...before, [period]: value }))}
        />
      ))}
      <p class="dim">{words.setHint}</p>
    </FormDialog>
  );
}

/** Adds to a limit. Only periods with a limit are offered. */
function RaiseForm({ budget, isRunning, onSave, onClose }: BudgetFormProps) {
  const words = useTexts(texts);
  const limited = PERIODS.filter((period) => budget.effective[AMOUNT_OF[period]] !== null);
  const [period, setPeriod] = useState<Period>(limited[0] ?? 'month');
  const [amount, setAmount] = useState('');
  return (
    <FormDialog
      title={words.raise}
      action={words.raise}
      isRunning={isRunning}
      onSubmit={() => onSave({ period, by_dollars: Number(amount) })}
      onClose={onClose}
    >
      <Choice
        label={words.period}
        value={period}
        options={limited.map((name) => [name, words.periods[name]])}
        onChange={setPeriod}
      />
      <Field label={words.raiseBy} type="number" isRequired value={amount} onChange={setAmount} />
    </FormDialog>
  );
}

/** Periods of budgets. */
export const PERIODS = ['day', 'month', 'total'] as const;

type Period = (typeof PERIODS)[number];

/** Fields of the limits of the periods. */
export const AMOUNT_OF = {
  day: 'dollars_per_day',
  month: 'dollars_per_month',
  total: 'dollars_total',
} as const satisfies Readonly<Record<Period, string>>;

const USER_SCOPE = /^user:(\d+)$/;

/** Returns the scope of a user's budget, as the management API writes it. */
export function toUserScope(userId: number): string {
  return `user:${userId}`;
}

/** Returns the id of the user of a scope. */
export function findUserId(scope: string): string | undefined {
  return USER_SCOPE.exec(scope)?.[1];
}

const texts = defineTexts({
  en: {
    period: 'Period',
    periods: { day: 'Per day', month: 'Per month', total: 'In total' },
    spent: 'Spent',
    over: 'over budget',
    limit: 'Limit',
    origin: 'Comes from',
    setHere: 'set by an admin',
    fromPlan: (name: string) => `plan ${name}`,
    fromSettings: 'providers file',
    set: 'Set',
    setHint: 'US dollars; days are in UTC. Empty: as the plan or the providers file says.',
    inDollars: (period: string) => `${period}, $`,
    raise: 'Raise',
    raiseBy: 'By, $',
    reset: 'Reset',
    resetBody: 'The limits of the plan or of the providers file apply again, if there are any. What is spent stays.',
  },
  ru: {
    period: 'Период',
    periods: { day: 'В день', month: 'В месяц', total: 'Всего' },
    spent: 'Потрачено',
    over: 'бюджет исчерпан',
    limit: 'Лимит',
    origin: 'Откуда',
    setHere: 'задан администратором',
    fromPlan: (name) => `тариф ${name}`,
    fromSettings: 'файл провайдеров',
    set: 'Задать',
    setHint: 'В долларах; дни по UTC. Пусто: как в тарифе или в файле провайдеров.',
    inDollars: (period) => `${period}, $`,
    raise: 'Поднять',
    raiseBy: 'На сколько, $',
    reset: 'Сбросить',
    resetBody: 'Снова будут действовать лимиты тарифа или файла провайдеров, если они есть. Потраченное сохранится.',
  },
});
