import { useState } from 'preact/hooks';
import { download, request, requestDeletion } from '../../../api/request.ts';
import type { Conversation, ConversationMessage } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useQuery } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import { toAddress } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { Detail, Paged } from '../../../ui/loaded.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { Markdown } from './markdown.tsx';
import { texts } from './texts.ts';

/** Endings of the saved files, by their formats. */
const ENDINGS = { markdown: 'md', json: 'json' } as const;

/** A conversation to read, rename, export and delete. */
export function ConversationView({ id }: { readonly id: string }) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
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

interface RenameFormProps {
  readonly conversation: Conversation;
  readonly onSaved: (renamed: Conversation) => void;
  readonly onClose: () => void;
}

const MAX_TITLE_LENGTH = 60;

function RenameForm({ conversation, onSaved, onClose }: RenameFormProps) {
  const words = useTexts(texts);
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

/** Messages of a conversation, the newest ones first loaded and last shown. */
function Messages({ path }: { readonly path: string }) {
  const words = useTexts(texts);
  const messages = usePages<ConversationMessage>(`${path}/messages?limit=50`);
  return (
    <Card title={words.messages}>
      <Paged pages={messages} earlier={words.earlier}>
        {(items) => (
          <ol class="messages">
            {items.toReversed().map((each) => (
              <MessageView key={each.id} message={each} />
            ))}
          </ol>
        )}
      </Paged>
    </Card>
  );
}

/** Longer messages are folded. */
const MAX_SHOWN_LENGTH = 6000;
const FOLDED_LENGTH = 4000;

/** One message: a question as it was written, an answer with its formatting. */
function MessageView({ message }: { readonly message: ConversationMessage }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const { role, model, created_at: createdAt, content, photo_count: photoCount, files } = message;
  const [isUnfolded, setUnfolded] = useState(false);
  const isFolded = !isUnfolded && content.length > MAX_SHOWN_LENGTH;
  const shown = isFolded ? `${content.slice(0, FOLDED_LENGTH).toWellFormed()}…` : content;
  const attached = [...(photoCount > 0 ? [words.photos(photoCount)] : []), ...files];
  return (
    <li class={`message ${role}`}>
      <p>
        <strong>{role === 'user' ? words.you : (model ?? words.answer)}</strong>{' '}
        <time class="dim" dateTime={createdAt}>
          {formatTime(createdAt)}
        </time>
      </p>
      {attached.length > 0 && <p class="dim">{attached.join(', ')}</p>}
      {content !== '' && (role === 'user' ? <p class="text">{shown}</p> : <Markdown source={shown} />)}
      {isFolded && <Button onPress={() => setUnfolded(true)}>{words.showAll}</Button>}
    </li>
  );
}

const MAX_FIRST_WORDS = 60;

/** Returns the title of a conversation, or its first words. */
export function toName({ title, first_words: firstWords }: Conversation, untitled: string): string {
  const words = firstWords.replace(/\s+/g, ' ').trim();
  const short = words.length > MAX_FIRST_WORDS ? `${words.slice(0, MAX_FIRST_WORDS - 1).toWellFormed()}…` : words;
  return title ?? (short === '' ? untitled : short);
}
