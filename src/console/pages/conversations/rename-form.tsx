import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { Conversation } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts/index.ts';

interface RenameFormProps {
  readonly conversation: Conversation;
  readonly onSaved: (renamed: Conversation) => void;
  readonly onClose: () => void;
}

const MAX_TITLE_LENGTH = 60;

export function RenameForm({ conversation, onSaved, onClose }: RenameFormProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const [title, setTitle] = useState(conversation.title ?? '');
  const save = useAction(async () => {
    const path = `api/me/conversations/${conversation.id}`;
    onSaved(await request<Conversation>('PATCH', path, { body: { title } }));
  });
  return (
    <Dialog title={words.rename} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <Field label={words.title} value={title} onChange={setTitle} maxLength={MAX_TITLE_LENGTH} isRequired />
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
