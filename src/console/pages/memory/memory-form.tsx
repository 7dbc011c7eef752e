import { useState } from 'preact/hooks';
import { ApiError, request } from '../../api/request.ts';
import type { Memory } from '../../api/types.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts/index.ts';

const CONFLICT = 409;

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
  const [isKnown, setIsKnown] = useState(false);
  const save = useAction(async () => {
    setIsKnown(false);
    const [method, path] = memory ? ['PATCH', `api/me/memories/${memory.id}`] : ['POST', 'api/me/memories'];
    try {
      await request(method, path, { body: { text } });
      onSaved();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CONFLICT || error.field !== 'text') throw error;
      setIsKnown(true);
    }
  });
  return (
    <FormDialog
      title={memory ? words.editTitle : words.addTitle}
      isRunning={save.isRunning}
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
      {isKnown && <p role="alert">{words.known}</p>}
    </FormDialog>
  );
}
