import { useState } from 'preact/hooks';
import { download, requestDeletion } from '../../api/request.ts';
import type { Conversation } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { toAddress } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Detail } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { Messages } from './messages.tsx';
import { RenameForm } from './rename-form.tsx';
import { texts } from './texts.ts';
import { toName } from './to-name.ts';

/** Endings of the saved files, by their formats. */
const ENDINGS = { markdown: 'md', json: 'json' } as const;

/** A conversation to read, rename, export and delete. */
export function ConversationView({ id }: { readonly id: string }) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const path = `api/me/conversations/${encodeURIComponent(id)}`;
  const conversation = useQuery<Conversation>(path);
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  const save = useAction(async (format: keyof typeof ENDINGS) =>
    saveFile(await download(`${path}/export?format=${format}`), `conversation-${id}.${ENDINGS[format]}`),
  );
  const remove = useAction(async () => {
    await requestDeletion(path);
    showToast(shared.deleted);
    location.hash = toAddress('conversations');
  }, words.problems);
  const onSaved = (renamed: Conversation) => {
    conversation.setData(renamed);
    close();
    showToast(shared.saved);
  };
  return (
    <Detail page="conversations" back={words.back} gone={words.gone} query={conversation}>
      {(data) => (
        <>
          <Card title={toName(data, words.untitled)}>
            <div class="buttons">
              <Button onPress={() => setOpen('rename')}>{words.rename}</Button>
              <Button isBusy={save.isRunning} onPress={() => save.run('markdown')}>
                {words.export('Markdown')}
              </Button>
              <Button isBusy={save.isRunning} onPress={() => save.run('json')}>
                {words.export('JSON')}
              </Button>
              <Button kind="danger" onPress={() => setOpen('delete')}>
                {shared.delete}
              </Button>
            </div>
          </Card>
          <Messages path={path} />
          {open === 'rename' && <RenameForm conversation={data} onSaved={onSaved} onClose={close} />}
          {open === 'delete' && (
            <Confirm
              title={shared.deleteTitle}
              action={shared.delete}
              isRunning={remove.isRunning}
              onConfirm={remove.run}
              onClose={close}
            >
              {words.deleteBody(toName(data, words.untitled))}
            </Confirm>
          )}
        </>
      )}
    </Detail>
  );
}
