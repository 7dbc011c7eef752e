import { useState } from 'preact/hooks';
import type { Budget } from '../../../api/types.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Choice, Field } from '../../../ui/field.tsx';
import { useOwnTexts, useTexts } from '../../../view-context.ts';
import { AMOUNT_OF, PERIODS, type Period } from './periods.ts';
import { texts } from './texts/index.ts';

interface RaiseFormProps {
  readonly budget: Budget;
  readonly isRunning: boolean;
  readonly onSave: (raise: object) => void;
  readonly onClose: () => void;
}

/** Adds to a limit. Only periods with a limit are offered. */
export function RaiseForm({ budget, isRunning, onSave, onClose }: RaiseFormProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const limited = PERIODS.filter((period) => budget.effective[AMOUNT_OF[period]] !== null);
  const [period, setPeriod] = useState<Period>(limited[0] ?? 'month');
  const [amount, setAmount] = useState('');
  return (
    <Dialog title={words.raise} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave({ period, by_dollars: Number(amount) });
        }}
      >
        <Choice
          label={words.period}
          value={period}
          options={limited.map((name) => [name, words.periods[name]])}
          onChange={setPeriod}
        />
        <Field label={words.raiseBy} type="number" isRequired value={amount} onChange={setAmount} />
        <div class="buttons">
          <Button onPress={onClose}>{shared.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={isRunning}>
            {words.raise}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
