import type { OwnFile } from '../../api/types.ts';
import { useSizeFormat, useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface FileViewProps {
  readonly file: OwnFile;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** One file with its facts, its link and what can be done with it. */
export function FileView({ file, onChange, onDelete }: FileViewProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
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
            {facts.join(' · ')} {file.has_password && <span class="badge">{words.hasPassword}</span>}
            {file.kind === 'conversation' && <span class="badge">{words.isConversation}</span>}
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
