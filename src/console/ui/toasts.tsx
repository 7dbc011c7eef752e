import { useEffect, useRef, useState } from 'preact/hooks';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'error';
}

const SHOWN_MS = 5000;
let toasts: readonly Toast[] = [];
let nextId = 1;
let onChange = () => {};

/** Shows a short message at the edge of the page. */
export function showToast(text: string, kind: Toast['kind'] = 'info'): void {
  const id = nextId++;
  toasts = [...toasts, { id, text, kind }];
  onChange();
  setTimeout(() => {
    toasts = toasts.filter((toast) => toast.id !== id);
    onChange();
  }, SHOWN_MS);
}

/** The short messages: a popover, above open dialogs. */
export function Toasts() {
  const [shown, setShown] = useState(toasts);
  const popover = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The element that was shown last is on top.
    popover.current?.togglePopover(false);
    popover.current?.togglePopover(true);
  }, [shown]);
  useEffect(() => {
    onChange = () => setShown(toasts);
    onChange();
  }, []);
  return (
    <div ref={popover} class="toasts" role="status" popover="manual">
      {shown.map(({ id, text, kind }) => (
        <p key={id} class={`toast ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
