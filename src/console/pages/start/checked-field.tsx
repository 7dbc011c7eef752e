import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useSubmission } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { Verdict } from './step.tsx';
import { texts } from './texts.ts';

interface CheckedFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly type?: 'text' | 'password';
  readonly isDisabled?: boolean;
  /** Asks the service about the value, without spaces around it. */
  readonly onCheck: (value: string) => Promise<void>;
  /** Called when the value changes, after which earlier results are no longer valid. */
  readonly onChange: () => void;
  /** Result of the check. */
  readonly children: ComponentChildren;
}

/** An input whose value the service checks when its button is pressed. */
export function CheckedField(props: CheckedFieldProps) {
  const { label, hint, type = 'text', isDisabled = false, onCheck, onChange, children } = props;
  const words = useOwnTexts(texts);
  const [value, setValue] = useState('');
  const { run, isRunning, problem, forget } = useSubmission(() => onCheck(value.trim()));
  const change = (next: string) => {
    setValue(next);
    forget();
    onChange();
  };
  return (
    <Form onSubmit={run}>
      <Field label={label} hint={hint} type={type} isRequired value={value} onChange={change} />
      <div>
        <Button isSubmit isBusy={isRunning} isDisabled={isDisabled} label={`${words.check}: ${label}`}>
          {isRunning ? words.checking : words.check}
        </Button>
      </div>
      <div role="status">{problem === undefined ? children : <Verdict kind="bad">{problem}</Verdict>}</div>
    </Form>
  );
}
