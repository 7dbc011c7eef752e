import { useSharedTexts } from '../view-context.ts';
import { Button } from './button.tsx';
import { ScrollArea } from './scroll-area.tsx';
import { showToast } from './toasts.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Text of the button. Default “Copy”. */
  readonly label?: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const words = useSharedTexts();
  const copy = () => {
    copyText(text).then(
      () => showToast(words.copied),
      () => showToast(words.cannotCopy, 'error'),
    );
  };
  return <Button onPress={copy}>{label ?? words.copy}</Button>;
}

/** @throws If the browser refuses; it has no clipboard for pages over plain HTTP. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/** A short text to copy, such as an address. */
export function CopiedCode({ text }: { readonly text: string }) {
  return (
    <div class="copied">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

/** Lines to copy. @param label names them for screen readers. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <>
      <ScrollArea label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </ScrollArea>
      <CopyButton text={text} />
    </>
  );
}
