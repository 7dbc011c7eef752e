import { useState } from 'preact/hooks';
import { request } from '../../../api/request.ts';
import type { Task } from '../../../api/types.ts';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useSubmission } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';

const MAX_TEXT_LENGTH = 2000;
const MAX_WHEN_LENGTH = 100;

interface TaskFormProps {
  readonly task: Task;
  /** Route of the task. */
  readonly path: string;
  readonly onSaved: (task: Task) => void;
  readonly onClose: () => void;
}

/** Changes text and time of a task. */
export function TaskForm({ task, path, onSaved, onClose }: TaskFormProps) {
  const words = useTexts(texts);
  const [text, setText] = useState(task.text);
  const [when, setWhen] = useState('');
  const save = useSubmission(async () => {
    // The service takes a text that it is sent as the user's own.
    const body = { ...(text !== task.text && { text }), ...(when.trim() !== '' && { when: when.trim() }) };
    onSaved(await request<Task>('PATCH', path, { body }));
  }, words.problems);
  return (
    <FormDialog
      title={words.changeTitle}
      isRunning={save.isRunning}
      problem={save.problem}
      onSubmit={save.run}
      onClose={onClose}
    >
      <Field label={words.text} rows={4} isRequired maxLength={MAX_TEXT_LENGTH} value={text} onChange={setText} />
      <Field
        label={words.when}
        hint={words.whenHint(task.time_zone)}
        maxLength={MAX_WHEN_LENGTH}
        value={when}
        onChange={setWhen}
      />
    </FormDialog>
  );
}
