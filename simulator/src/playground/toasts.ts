import { h } from './dom.ts';

const SHOWN_MS = 3_500;
const MAX_TOASTS = 3;

export type Toasts = ReturnType<typeof createToasts>;

/**
 * Short notes that go by themselves.
 * @param box a polite live region
 */
export function createToasts(box: HTMLElement) {
  return {
    show(text: string) {
      const toast = h('div', { class: 'toast' }, text);
      box.append(toast);
      while (box.children.length > MAX_TOASTS) box.firstElementChild?.remove();
      setTimeout(() => toast.remove(), SHOWN_MS + text.length * 30);
    },
  };
}
