import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useSharedTexts } from '../view-context.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window above the page. Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The consequences. */
  readonly children: ComponentChildren;
  /** Text of the button that confirms. */
  readonly action: string;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an action that can't be undone. */
export function Confirm({ title, children, action, isRunning, onConfirm, onClose }: ConfirmProps) {
  const words = useSharedTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <div class="buttons">
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button kind="danger" isBusy={isRunning} onPress={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
