import { CopyButton } from '../../ui/copy-button.tsx';

/** Lines to copy. @param label names them for screen readers. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section class="snippet" aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </>
  );
}
