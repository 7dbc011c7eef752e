import type { ComponentChildren } from 'preact';
import { useSharedTexts } from '../view-context.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields with a submit button, which Enter presses as well. */
export function Form({ onSubmit, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface FormDialogProps extends FormProps {
  readonly title: string;
  /** Text of the button that sends the form. Default “Save”. */
  readonly action?: string;
  readonly isDangerous?: boolean;
  readonly isRunning: boolean;
  /** Why the form could not be sent. */
  readonly problem?: string | undefined;
  /** Buttons beside the one that sends the form. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
}

/** A form in a window above the page. */
export function FormDialog(props: FormDialogProps) {
  const { title, children, action, isDangerous = false, isRunning, problem, actions, onSubmit, onClose } = props;
  const words = useSharedTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={onSubmit}>
        {children}
        {problem !== undefined && <p role="alert">{problem}</p>}
        <div class="buttons">
          <Button onPress={onClose}>{words.cancel}</Button>
          {actions}
          <Button kind={isDangerous ? 'danger' : 'primary'} isSubmit isBusy={isRunning}>
            {action ?? words.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
