import { useRef, useState } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { describeError } from '../../../ui/describe-error.ts';
import { useLocale, useSharedTexts, useTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';
import { cancelUpload, retryUpload, startUploads, type Upload } from './uploads.ts';

/** A place to drop files, and the uploads that are not complete. */
export function UploadView({ uploads }: { readonly uploads: readonly Upload[] }) {
  const words = useTexts(texts);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    startUploads(event.dataTransfer?.files ?? []);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <Card>
      {/* The button does the same for keyboards. */}
      <section
        class={isOver ? 'drop is-over' : 'drop'}
        aria-label={words.upload}
        onDragOver={onDragOver}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <Button kind="primary" onPress={() => input.current?.click()}>
          {words.upload}
        </Button>
        <span class="dim">{words.drop}</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={words.upload}
          onChange={(event) => {
            startUploads(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
      </section>
      {uploads.length > 0 && (
        <ul class="uploads" aria-label={words.uploads}>
          {uploads.map((each) => (
            <UploadRow key={each.id} upload={each} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const locale = useLocale();
  const { id, name, sizeBytes, sentBytes, state, error } = upload;
  const share = sizeBytes === 0 ? 0 : Math.min(1, sentBytes / sizeBytes);
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(share);
  return (
    <li>
      <span class="file-name">{name}</span>
      {error ? (
        <span class="error" role="alert">
          {describeError(locale, error)}
        </span>
      ) : (
        <>
          <progress max={1} value={share} aria-label={words.progress(name)} />
          <span class="dim number">{state === 'waiting' ? words.waiting : percent}</span>
        </>
      )}
      {state === 'failed' && <Button onPress={() => retryUpload(id)}>{shared.retry}</Button>}
      <Button label={words.cancelUpload(name)} onPress={() => cancelUpload(id)}>
        {state === 'failed' ? shared.close : shared.cancel}
      </Button>
    </li>
  );
}
