import { CopyButton } from '../../ui/copy-button.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';

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
