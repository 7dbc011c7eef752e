import { useId } from 'preact/hooks';
import { useHint } from './use-hint.tsx';

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly hint?: string;
}

/** Something that is on or off, with its label. */
export function Switch({ label, isOn, onChange, hint: text }: SwitchProps) {
  const id = useId();
  const { hint, hintId } = useHint(text);
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={hintId}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint}
    </div>
  );
}
