import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { Conversation } from '../../api/types.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface RenameFormProps {
  readonly conversation: Conversation;
  readonly onSaved: (renamed: Conversation) => void;
  readonly onClose: () => void;
}

const MAX_TITLE_LENGTH = 60;

export function RenameForm({ conversation, onSaved, onClose }: RenameFormProps) {
  const words = useOwnTexts(texts);
  const [title, setTitle] = useState(conversation.title ?? '');
  const save = useAction(async () => {
    const path = `api/me/conversations/${conversation.id}`;
    onSaved(await request<Conversation>('PATCH', path, { body: { title } }));
  });
  return (
    <FormDialog title={words.rename} isRunning={save.isRunning} onSubmit={save.run} onClose={onClose}>
      <Field label={words.title} value={title} onChange={setTitle} maxLength={MAX_TITLE_LENGTH} isRequired />
    </FormDialog>
  );
}
