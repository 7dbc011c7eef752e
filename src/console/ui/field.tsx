import { useEffect, useId, useState } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Default `text`. */
  readonly type?: 'text' | 'number' | 'search' | 'datetime-local' | 'password';
  readonly hint?: string | undefined;
  /** Why the value was refused. */
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** Shown as several lines. */
  readonly rows?: number;
  /** Values to choose from; others may be entered. */
  readonly suggestions?: readonly string[];
}

/** An input with its label. */
export function Field(props: FieldProps) {
  const {
    label,
    value,
    onChange,
    type = 'text',
    hint: text,
    problem,
    isRequired,
    maxLength,
    rows,
    suggestions,
  } = props;
  const id = useId();
  const { hint, ...described } = useHint(text, problem);
  const shared = { id, value, maxLength, required: isRequired, ...described };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        // Preact's types distinguish elements by their type.
        <input
          {...shared}
          type={type as 'text'}
          step="any"
          autocomplete={type === 'password' || suggestions ? 'off' : undefined}
          list={suggestions && `${id}-suggestions`}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
      {suggestions && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
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
  /** Why the value was refused. */
  readonly problem?: string | undefined;
}

/** A choice of one option. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChange, hint: text, problem } = props;
  const id = useId();
  const { hint, ...described } = useHint(text, problem);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        {...described}
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

interface OptionalChoiceProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  /** Text of the default, which is no value. Default: there is none. */
  readonly unset?: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value | null;
  readonly onChange: (value: Value | null) => void;
}

/** A choice of an option, or of none. */
export function OptionalChoice<Value extends string>(props: OptionalChoiceProps<Value>) {
  const { label, hint, unset, options, value, onChange } = props;
  const names = Object.entries(options) as [Value, string][];
  return (
    <Choice<Value | ''>
      label={label}
      hint={hint}
      value={value ?? ''}
      options={[...(unset === undefined ? [] : [['', unset] as const]), ...names]}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
    />
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly hint?: string;
}

/** An option that is on or off, with its label. */
export function Switch({ label, isOn, onChange, hint: text }: SwitchProps) {
  const id = useId();
  const { hint, ...described } = useHint(text);
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        {...described}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint}
    </div>
  );
}

const SEARCH_DELAY_MS = 300;
const MAX_SEARCH_LENGTH = 100;

/** A secret of an API key with more than its first characters, which the service stores. */
const SECRET = /^\s*(sk-sb-.{4}).*/s;

/**
 * Returns the text to search for, and the properties of the field for it. A search is not sent for each letter. A secret
 * is shortened to its beginning: whole ones do not belong into the address of a request.
 */
export function useSearch(initial = '') {
  const [value, setValue] = useState(initial);
  const [search, setSearch] = useState(initial);
  const onChange = (text: string) => setValue(text.replace(SECRET, '$1'));
  useEffect(() => {
    const timer = setTimeout(() => setSearch(value.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return { search, field: { type: 'search', maxLength: MAX_SEARCH_LENGTH, value, onChange } as const };
}

/** Returns the number in a field; null for an empty one. */
export function toNumber(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/** Returns the hint of an input and why it was refused as an element, and the attributes that refer to it. */
function useHint(text: string | undefined, problem?: string) {
  const id = useId();
  if (text === undefined && problem === undefined) return { hint: undefined };
  const hint = (
    <div id={id}>
      {problem !== undefined && <p class="error">{problem}</p>}
      {text !== undefined && <p class="dim">{text}</p>}
    </div>
  );
  return { hint, 'aria-describedby': id, ...(problem !== undefined && { 'aria-invalid': true }) };
}
