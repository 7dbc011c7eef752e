import { useTexts } from '../view-context.ts';
import { Button } from './button.tsx';
import { showToast } from './toasts.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Text of the button. Default “Copy”. */
  readonly label?: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const words = useTexts();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => showToast(words.copied),
      () => showToast(words.error.internal, 'error'),
    );
  };
  return <Button onPress={copy}>{label ?? words.copy}</Button>;
}
