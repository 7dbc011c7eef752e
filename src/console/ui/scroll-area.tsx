import type { ComponentChildren } from 'preact';

interface ScrollAreaProps {
  /** Name for screen readers. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** An area that scrolls if its content is wider than the page, also by keyboard. */
export function ScrollArea({ label, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be reachable by keyboard
    <section class="scrolls" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
