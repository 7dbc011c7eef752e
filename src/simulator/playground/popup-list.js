/** @import { Child } from './dom.js' */
import { h } from './dom.js';

/**
 * @typedef {object} PopupItem
 * @property {string} value
 * @property {Child[]} content
 */

/** @typedef {ReturnType<typeof createPopupList>} PopupList */

/**
 * A list above the composer that is driven from the text field: arrows move, Enter and Tab choose, Escape closes.
 * The focus stays in the field; screen readers follow `aria-activedescendant`.
 * @param {{ box: HTMLElement, field: HTMLTextAreaElement, onChoose: (value: string) => void }} deps
 */
export function createPopupList({ box, field, onChoose }) {
  /** @type {readonly PopupItem[]} */
  let items = [];
  let active = -1;

  const mark = () => {
    [...box.children].forEach((element, place) => {
      element.setAttribute('aria-selected', String(place === active));
      if (place === active) element.scrollIntoView({ block: 'nearest' });
    });
    const id = active >= 0 ? box.children[active]?.id : undefined;
    if (id) field.setAttribute('aria-activedescendant', id);
    else field.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    items = [];
    active = -1;
    box.hidden = true;
    box.replaceChildren();
    field.removeAttribute('aria-activedescendant');
  };
  /** @param {number} place */
  const choose = (place) => {
    const item = items[place];
    close();
    if (item) onChoose(item.value);
  };

  box.addEventListener('mousedown', (event) => event.preventDefault());
  box.addEventListener('click', (event) => {
    const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null;
    if (option) choose([...box.children].indexOf(option));
  });

  return {
    get isOpen() {
      return items.length > 0;
    },
    close,
    /** Shows these items; none closes the list. @param {readonly PopupItem[]} shown @param {string} label */
    show(shown, label) {
      if (shown.length === 0) return close();
      items = shown;
      active = 0;
      box.setAttribute('aria-label', label);
      box.replaceChildren(
        ...shown.map((item, place) =>
          h('div', { role: 'option', id: `${box.id}-${place}`, class: 'popup-item' }, item.content),
        ),
      );
      box.hidden = false;
      mark();
    },
    /** @param {KeyboardEvent} event @returns {boolean} whether the list took the key */
    takeKey(event) {
      if (items.length === 0) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        active = (active + step + items.length) % items.length;
        mark();
      } else if (event.key === 'Enter' || event.key === 'Tab') choose(active);
      else if (event.key === 'Escape') close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
