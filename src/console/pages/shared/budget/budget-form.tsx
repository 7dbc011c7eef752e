import { useState } from 'preact/hooks';
import type { Budget } from '../../../api/types.ts';
import { Field, toNumber } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useOwnTexts } from '../../../view-context.ts';
import { AMOUNT_OF, PERIODS, type Period } from './periods.ts';
import { texts } from './texts.ts';

interface BudgetFormProps {
  readonly budget: Budget;
  readonly isRunning: boolean;
  readonly onSave: (amounts: object) => void;
  readonly onClose: () => void;
}

/** Sets the limits of a scope. */
export function BudgetForm({ budget, isRunning, onSave, onClose }: BudgetFormProps) {
  const words = useOwnTexts(texts);
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
