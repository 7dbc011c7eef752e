import { useState } from 'preact/hooks';
import type { Budget } from '../../../api/types.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { useOwnTexts, useTexts } from '../../../view-context.ts';
import { AMOUNT_OF, PERIODS, type Period } from './periods.ts';
import { texts } from './texts/index.ts';

interface BudgetFormProps {
  readonly budget: Budget;
  readonly isRunning: boolean;
  readonly onSave: (amounts: object) => void;
  readonly onClose: () => void;
}

/** Sets the limits of a scope. */
export function BudgetForm({ budget, isRunning, onSave, onClose }: BudgetFormProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const [values, setValues] = useState<Readonly<Record<Period, string>>>(() => ({
    day: `${budget.dollars_per_day ?? ''}`,
    month: `${budget.dollars_per_month ?? ''}`,
    total: `${budget.dollars_total ?? ''}`,
  }));
  return (
    <Dialog title={words.set} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(Object.fromEntries(PERIODS.map((period) => [AMOUNT_OF[period], toAmount(values[period])])));
        }}
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
        <div class="buttons">
          <Button onPress={onClose}>{shared.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={isRunning}>
            {shared.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function toAmount(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
