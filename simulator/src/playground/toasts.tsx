import { render } from 'preact';

const SHOWN_MS = 3_500;
const MAX_TOASTS = 3;

export type Toasts = ReturnType<typeof createToasts>;

/**
 * Creates short notifications that disappear by themselves.
 * @param box a polite live region
 */
export function createToasts(box: HTMLElement) {
  let toasts: readonly { key: number; text: string }[] = [];
  let count = 0;

  const change = (changed: typeof toasts) => {
    toasts = changed.slice(-MAX_TOASTS);
    render(
      toasts.map(({ key, text }) => (
        <div key={key} class="toast">
          {text}
        </div>
      )),
      box,
    );
  };

  return {
    show(text: string) {
      const toast = { key: ++count, text };
      change([...toasts, toast]);
      setTimeout(() => change(toasts.filter((shown) => shown !== toast)), SHOWN_MS + text.length * 30);
    },
  };
}
