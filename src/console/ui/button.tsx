import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onPress?: () => void;
  /** Default `secondary`. */
  readonly kind?: 'primary' | 'secondary' | 'danger';
  /** True while its work runs. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** True in forms: sends them. */
  readonly isSubmit?: boolean;
  /** Name for screen readers if the text is not enough. */
  readonly label?: string;
}

export function Button(props: ButtonProps) {
  const { children, onPress, kind = 'secondary', isBusy = false, isDisabled = false, isSubmit = false, label } = props;
  return (
    <button
      type={isSubmit ? 'submit' : 'button'}
      class={`button ${kind}`}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy}
      aria-label={label}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
