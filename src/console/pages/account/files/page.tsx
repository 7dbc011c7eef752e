import { useEffect, useState } from 'preact/hooks';
import { requestDeletion } from '../../../api/request.ts';
import type { OwnFile, OwnFiles } from '../../../api/types.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useSizeFormat, useTimeFormat } from '../../../formats.ts';
import type { Page } from '../../../page.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Choice, Field, useSearch } from '../../../ui/field.tsx';
import { Filters } from '../../../ui/filters.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Paged } from '../../../ui/loaded.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useProfile, useSharedTexts, useTexts } from '../../../view-context.ts';
import { FileForm } from './file-form.tsx';
import { texts } from './texts.ts';
import { UploadView } from './upload-view.tsx';
import { useUploads } from './uploads.ts';

/** The user's stored files and shared conversations. */
export const filesPage: Page = {
  name: 'files',
  title: { en: 'Files', ru: 'Файлы' },
  icon: 'file',
  isForAdmins: false,
  View: FilesView,
};

const KINDS = ['all', 'file', 'conversation'] as const;
/** The dialog above the list. */
type Open = { readonly kind: 'change' | 'delete'; readonly file: OwnFile };

function FilesView() {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatSize = useSizeFormat();
  const { uploads, doneCount } = useUploads();
  const { can_upload: canUpload } = useProfile();
  const { search, field } = useSearch();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('all');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const filter = new URLSearchParams({ limit: '30', ...(kind !== 'all' && { kind }) });
  if (search !== '') filter.set('search', search);
  const files = usePages<OwnFile, OwnFiles>(`api/me/files?${filter}`);
  const { reload, newest } = files;
  useEffect(() => {
    if (doneCount > 0) reload();
  }, [doneCount, reload]);
  const remove = useAction(async (file: OwnFile) => {
    await requestDeletion(`api/me/files/${file.id}`);
    close();
    showToast(shared.deleted);
    reload();
  });
  const onSaved = () => {
    close();
    showToast(shared.saved);
    reload();
  };
  return (
    <>
      {canUpload ? <UploadView uploads={uploads} /> : <p class="dim">{words.uploadsOff}</p>}
      <Filters search={<Field label={shared.search} {...field} />} values={kind === 'all' ? [] : [kind]}>
        <Choice
          label={words.kind}
          value={kind}
          options={KINDS.map((value) => [value, words.kinds[value]])}
          onChange={setKind}
        />
      </Filters>
      {newest && newest.total_count > 0 && (
        <p class="dim">{words.totals(newest.total_count, formatSize(newest.total_bytes))}</p>
      )}
      <Paged pages={files} empty={search === '' ? words.none : words.noneFound(search)}>
        {(items) => (
          <div class="columns">
            {items.map((file) => (
              <FileView
                key={file.id}
                file={file}
                onChange={() => setOpen({ kind: 'change', file })}
                onDelete={() => setOpen({ kind: 'delete', file })}
              />
            ))}
          </div>
        )}
      </Paged>
      {open?.kind === 'change' && <FileForm file={open.file} onSaved={onSaved} onClose={close} />}
      {open?.kind === 'delete' && (
        <Confirm
          title={shared.deleteTitle}
          action={shared.delete}
          isRunning={remove.isRunning}
          onConfirm={() => remove.run(open.file)}
          onClose={close}
        >
          {words.deleteBody(open.file.name)}
        </Confirm>
      )}
    </>
  );
}

interface FileViewProps {
  readonly file: OwnFile;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** One file with its facts, its link and what can be done with it. */
function FileView({ file, onChange, onDelete }: FileViewProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatSize = useSizeFormat();
  const formatTime = useTimeFormat();
  const facts = [
    formatSize(file.size_bytes),
    formatTime(file.created_at),
    ...(file.expires_at ? [words.expiresAt(formatTime(file.expires_at))] : []),
    ...(file.downloads_left === null ? [] : [words.downloadsLeft(file.downloads_left)]),
    ...(file.url ? [] : [words.telegramOnly]),
  ];
  return (
    <Card>
      <div class="file">
        <Thumbnail file={file} />
        <div>
          <h2 class="file-name">{file.name}</h2>
          <p class="dim">
            {facts.join(' · ')} {file.has_password && <Badge>{words.hasPassword}</Badge>}
            {file.kind === 'conversation' && <Badge>{words.isConversation}</Badge>}
          </p>
        </div>
      </div>
      <div class="buttons">
        {file.url && (
          <>
            <CopyButton text={file.url} label={words.copyLink} />
            <a class="button" href={file.url} target="_blank" rel="noreferrer">
              {words.open}
            </a>
          </>
        )}
        <Button onPress={onChange} label={words.changeNamed(file.name)}>
          {shared.edit}
        </Button>
        <Button kind="danger" onPress={onDelete} label={words.deleteNamed(file.name)}>
          {shared.delete}
        </Button>
      </div>
    </Card>
  );
}

function Thumbnail({ file }: { readonly file: OwnFile }) {
  return (
    <span class="thumbnail">
      {file.thumbnail_url ? (
        <img src={file.thumbnail_url} alt="" loading="lazy" decoding="async" />
      ) : (
        <Icon name={file.kind === 'conversation' ? 'chat' : 'file'} />
      )}
    </span>
  );
}
