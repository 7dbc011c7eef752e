import { useId } from 'preact/hooks';
import { useHint } from './use-hint.tsx';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Default `text`. */
  readonly type?: 'text' | 'number' | 'search' | 'datetime-local' | 'password';
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** Shown as several lines. */
  readonly rows?: number;
}

/** An input with its label. */
export function Field({ label, value, onChange, type = 'text', hint: text, isRequired, maxLength, rows }: FieldProps) {
  const id = useId();
  const { hint, hintId } = useHint(text);
  const shared = { id, value, maxLength, required: isRequired, 'aria-describedby': hintId };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        // Preact's types distinguish elements by their type.
        <input
          {...shared}
          type={type as 'text'}
          step="any"
          autocomplete={type === 'password' ? 'off' : undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
      {hint}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
  readonly hint?: string | undefined;
}

/** A choice of one option. */
export function Choice<Value extends string>({ label, value, options, onChange, hint: text }: ChoiceProps<Value>) {
  const id = useId();
  const { hint, hintId } = useHint(text);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hintId}
        onChange={(event) => {
          const chosen = options.find(([option]) => option === event.currentTarget.value);
          if (chosen) onChange(chosen[0]);
        }}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
      {hint}
    </div>
  );
}
