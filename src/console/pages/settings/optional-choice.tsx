import { Choice } from '../../ui/field.tsx';

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
