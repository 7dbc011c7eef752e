import { useTexts } from '../view-context.ts';
import { Button } from './button.tsx';
import { showToast } from './toasts.tsx';

/** Copies a text to the clipboard. */
export function CopyButton({ text }: { readonly text: string }) {
  const words = useTexts();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => showToast(words.copied),
      () => showToast(words.error.internal, 'error'),
    );
  };
  return <Button onPress={copy}>{words.copy}</Button>;
}
