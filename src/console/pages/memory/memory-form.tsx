import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { Memory } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts/index.ts';

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
  const shared = useTexts();
  const [text, setText] = useState(memory?.text ?? '');
  const save = useAction(async () => {
    const [method, path] = memory ? ['PATCH', `api/me/memories/${memory.id}`] : ['POST', 'api/me/memories'];
    await request(method, path, { body: { text } });
    onSaved();
  });
  return (
    <Dialog title={memory ? words.editTitle : words.addTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
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
        <div class="buttons">
          <Button onPress={onClose}>{shared.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={save.isRunning}>
            {shared.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
