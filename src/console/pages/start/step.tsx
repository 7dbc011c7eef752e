import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { unquote } from '../../../lib/unquote.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useSubmission } from '../../ui/use-action.ts';
import { useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

/** A step of the setup. */
export function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface VerdictProps {
  readonly kind: 'good' | 'bad' | 'note';
  readonly children: ComponentChildren;
}

const SIGNS = { good: '✓ ', bad: '✗ ', note: '• ' };

/** Result of a check, for an element that announces its changes. */
export function Verdict({ kind, children }: VerdictProps) {
  return (
    <p class={kind === 'bad' ? 'verdict error' : 'verdict'}>
      {SIGNS[kind]}
      {children}
    </p>
  );
}

interface CheckedFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly type?: 'text' | 'password';
  readonly isDisabled?: boolean;
  /** Asks the service about the value, without spaces and quotes around it. */
  readonly onCheck: (value: string) => Promise<void>;
  /** Called when the value changes, after which earlier results are no longer valid. */
  readonly onChange: () => void;
  /** Result of the check. */
  readonly children: ComponentChildren;
}

/** An input whose value the service checks when its button is pressed. */
export function CheckedField(props: CheckedFieldProps) {
  const { label, hint, type = 'text', isDisabled = false, onCheck, onChange, children } = props;
  const words = useTexts(texts);
  const [value, setValue] = useState('');
  const { run, isRunning, problem, forget } = useSubmission(() => onCheck(unquote(value)));
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

/** A value and what the service has answered about it. */
interface Checked<Answer> {
  readonly value: string;
  readonly answer: Answer;
}

/** A check of the service, with its latest result. */
export type Check<Answer extends { readonly ok: boolean }> = ReturnType<typeof useCheck<Answer>>;

/** Checks values by a route below `/api/setup`. @param toBody returns the body of the request. */
export function useCheck<Answer extends { readonly ok: boolean }>(route: string, toBody: (value: string) => object) {
  const [checked, setChecked] = useState<Checked<Answer>>();
  const forgotten = useRef(0);
  return {
    /** Undefined while the present value is not checked. */
    answer: checked?.answer,
    /** The value, if it has passed; otherwise empty. */
    passed: checked?.answer.ok ? checked.value : '',
    /** @throws ApiError */
    async run(value: string) {
      const before = forgotten.current;
      const answer = await request<Answer>('POST', `api/setup/${route}`, { body: toBody(value) });
      if (before === forgotten.current) setChecked({ value, answer });
    },
    /** Drops the result, also that of a running check. */
    forget() {
      forgotten.current += 1;
      setChecked(undefined);
    },
  };
}
