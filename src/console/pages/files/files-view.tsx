import { useEffect, useState } from 'preact/hooks';
import { requestDeletion } from '../../api/request.ts';
import type { OwnFile, OwnFiles } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useSizeFormat } from '../../formats.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, Field, useSearch } from '../../ui/field.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { FileForm } from './file-form.tsx';
import { FileView } from './file-view.tsx';
import { texts } from './texts.ts';
import { UploadView } from './upload-view.tsx';
import { useUploads } from './uploads.ts';

const KINDS = ['all', 'file', 'conversation'] as const;
/** The dialog above the list. */
type Open = { readonly kind: 'change' | 'delete'; readonly file: OwnFile };

export function FilesView() {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const formatSize = useSizeFormat();
  const { uploads, doneCount } = useUploads();
  const { wanted, field } = useSearch();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('all');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const filter = new URLSearchParams({ limit: '30', ...(kind !== 'all' && { kind }) });
  if (wanted !== '') filter.set('search', wanted);
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
      <UploadView uploads={uploads} />
      <div class="tools">
        <Field label={shared.search} {...field} />
        <Choice
          label={words.kind}
          value={kind}
          options={KINDS.map((value) => [value, words.kinds[value]])}
          onChange={setKind}
        />
      </div>
      {newest && newest.total_count > 0 && (
        <p class="dim">{words.totals(newest.total_count, formatSize(newest.total_bytes))}</p>
      )}
      <Paged pages={files} empty={wanted === '' ? words.none : words.noneFound(wanted)}>
        {(items) =>
          items.map((file) => (
            <FileView
              key={file.id}
              file={file}
              onChange={() => setOpen({ kind: 'change', file })}
              onDelete={() => setOpen({ kind: 'delete', file })}
            />
          ))
        }
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
