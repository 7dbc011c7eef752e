import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { Memory } from '../../api/types.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useSubmission } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface MemoryFormProps {
  /** Default: a new note. */
  readonly memory?: Memory;
  readonly maxCharacters: number;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Adds a note or changes its text. */
export function MemoryForm({ memory, maxCharacters, onSaved, onClose }: MemoryFormProps) {
  const words = useOwnTexts(texts);
  const [text, setText] = useState(memory?.text ?? '');
  const save = useSubmission(async () => {
    const [method, path] = memory ? ['PATCH', `api/me/memories/${memory.id}`] : ['POST', 'api/me/memories'];
    await request(method, path, { body: { text } });
    onSaved();
  }, words.problems);
  return (
    <FormDialog
      title={memory ? words.editTitle : words.addTitle}
      isRunning={save.isRunning}
      problem={save.problem}
      onSubmit={save.run}
      onClose={onClose}
    >
      <Field
        label={words.text}
        hint={words.textHint(maxCharacters)}
        rows={3}
        isRequired
        maxLength={maxCharacters}
        value={text}
        onChange={setText}
      />
    </FormDialog>
  );
}
