import { useState } from 'preact/hooks';
import type { Budget } from '../../../api/types.ts';
import { Choice, Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useOwnTexts } from '../../../view-context.ts';
import { AMOUNT_OF, PERIODS, type Period } from './periods.ts';
import { texts } from './texts.ts';

interface RaiseFormProps {
  readonly budget: Budget;
  readonly isRunning: boolean;
  readonly onSave: (raise: object) => void;
  readonly onClose: () => void;
}

/** Adds to a limit. Only periods with a limit are offered. */
export function RaiseForm({ budget, isRunning, onSave, onClose }: RaiseFormProps) {
  const words = useOwnTexts(texts);
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
