import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useSharedTexts } from '../view-context.ts';

interface FiltersProps {
  /** Field that stays visible on phones. */
  readonly search: ComponentChildren;
  /** Values of the filters; empty: not set. */
  readonly values: readonly string[];
  /** The filters; on phones a button shows them. */
  readonly children: ComponentChildren;
}

/** A search and filters above a list. */
export function Filters({ search, values, children }: FiltersProps) {
  const words = useSharedTexts();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="tools">
      {search}
      <button
        type="button"
        class="button fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {words.filters(values.filter((value) => value !== '').length)}
      </button>
      <div id={id} class={isOpen ? 'tools folded is-open' : 'tools folded'}>
        {children}
      </div>
    </div>
  );
}
