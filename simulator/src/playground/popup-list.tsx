import { type ComponentChild, render } from 'preact';

/** Distance from the end at which more items are requested. */
const NEAR_END_PX = 80;

export interface PopupItem {
  value: string;
  content: ComponentChild;
  /** Not selected by default; Enter ignores it until an arrow key reaches it */
  isAside?: boolean;
}

export type PopupList = ReturnType<typeof createPopupList>;

/**
 * Creates a list above the composer, operated from the text field: arrow keys move, Enter and Tab select, Escape
 * closes.
 * The focus stays in the field; screen readers follow `aria-activedescendant`.
 */
export function createPopupList({
  box,
  field,
  onChoose,
}: {
  box: HTMLElement;
  field: HTMLTextAreaElement;
  onChoose: (value: string) => void;
}) {
  let items: readonly PopupItem[] = [];
  let active = -1;
  let onEnd = () => {};

  const draw = () => {
    const options = items.map((item, place) => (
      <div key={item.value} role="option" id={`${box.id}-${place}`} class="popup-item" aria-selected={place === active}>
        {item.content}
      </div>
    ));
    render(options, box);
    const marked = box.children[active];
    marked?.scrollIntoView({ block: 'nearest' });
    if (marked) field.setAttribute('aria-activedescendant', marked.id);
    else field.removeAttribute('aria-activedescendant');
    if (active === items.length - 1) onEnd();
  };
  const close = () => {
    items = [];
    active = -1;
    onEnd = () => {};
    box.hidden = true;
    render(null, box);
    field.removeAttribute('aria-activedescendant');
  };
  const choose = (place: number) => {
    const item = items[place];
    close();
    if (item) onChoose(item.value);
  };

  box.addEventListener('mousedown', (event) => event.preventDefault());
  box.addEventListener('click', (event) => {
    const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null;
    if (option) choose([...box.children].indexOf(option));
  });

  const lookForEnd = () => {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - NEAR_END_PX) onEnd();
  };
  box.addEventListener('scroll', lookForEnd);

  return {
    get isOpen() {
      return items.length > 0;
    },
    close,
    /**
     * Shows these items; an empty list closes it.
     * @param options `keepsPlace`: items were appended; `onEnd` is called, possibly several times, when the list is
     * scrolled to its end
     */
    show(shown: readonly PopupItem[], label: string, options: { keepsPlace?: boolean; onEnd?: () => void } = {}) {
      if (shown.length === 0) return close();
      const scrolledTo = options.keepsPlace ? box.scrollTop : 0;
      items = shown;
      onEnd = options.onEnd ?? (() => {});
      if (!options.keepsPlace || active < 0) active = shown.findIndex(({ isAside }) => !isAside);
      box.setAttribute('aria-label', label);
      box.hidden = false;
      box.scrollTop = scrolledTo;
      draw();
      if (options.keepsPlace) box.scrollTop = scrolledTo;
      lookForEnd();
    },
    /** @returns whether the key was handled */
    takeKey(event: KeyboardEvent): boolean {
      if (items.length === 0) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        active = active < 0 && step < 0 ? items.length - 1 : (active + step + items.length) % items.length;
        draw();
      } else if (event.key === 'Enter' && active < 0) {
        close();
        return false;
      } else if (event.key === 'Enter' || event.key === 'Tab') choose(Math.max(0, active));
      else if (event.key === 'Escape') close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
