import { useId } from 'preact/hooks';

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly hint?: string;
}

/** Something that is on or off, with its label. */
export function Switch({ label, isOn, onChange, hint }: SwitchProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
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
      {hint !== undefined && (
        <p id={hintId} class="dim">
          {hint}
        </p>
      )}
    </div>
  );
}
