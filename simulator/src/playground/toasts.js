import { h } from './dom.js';

const SHOWN_MS = 3_500;
const MAX_TOASTS = 3;

/** @typedef {ReturnType<typeof createToasts>} Toasts */

/** Short notes that go by themselves. @param {HTMLElement} box a polite live region */
export function createToasts(box) {
  return {
    /** @param {string} text */
    show(text) {
      const toast = h('div', { class: 'toast' }, text);
      box.append(toast);
      while (box.children.length > MAX_TOASTS) box.firstElementChild?.remove();
      setTimeout(() => toast.remove(), SHOWN_MS + text.length * 30);
    },
  };
}
