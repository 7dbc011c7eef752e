import { useState } from 'preact/hooks';
import { request, requestDeletion, toUrl } from '../../api/request.ts';
import type { Key, Keys, KeyWithSecret } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { KeyForm } from './key-form.tsx';
import { KeyView } from './key-view.tsx';
import { texts } from './texts.ts';

/** The dialog above the list. */
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: Key }
  | { readonly kind: 'secret'; readonly key: KeyWithSecret };

const OVERLAP_SECONDS = 86_400;

export function KeysView() {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const keys = useQuery<Keys>('api/me/keys');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const change = useAction(async (key: Key, body: object) => {
    await request('PATCH', `api/me/keys/${key.id}`, { body });
    keys.reload();
  });
  const rotate = useAction(async (key: Key) => {
    const body = { overlap_seconds: OVERLAP_SECONDS };
    setOpen({ kind: 'secret', key: await request<KeyWithSecret>('POST', `api/me/keys/${key.id}/rotate`, { body }) });
    keys.reload();
  });
  const revoke = useAction(async (key: Key) => {
    await requestDeletion(`api/me/keys/${key.id}`);
    close();
    keys.reload();
  });
  const onSaved = (key: Key | KeyWithSecret) => {
    setOpen('secret' in key ? { kind: 'secret', key } : undefined);
    keys.reload();
  };
  return (
    <>
      <Card>
        <p>{words.about}</p>
        <p class="dim">{words.baseAddress}</p>
        <CopiedCode text={toUrl('ai/openai')} />
      </Card>
      <Loaded query={keys}>
        {({ data, max_keys: maxKeys }) => (
          <>
            <div class="tools">
              <Button kind="primary" isDisabled={data.length >= maxKeys} onPress={() => setOpen({ kind: 'new' })}>
                {words.make}
              </Button>
              {data.length >= maxKeys && <p class="dim">{words.full(maxKeys)}</p>}
            </div>
            {data.length === 0 && <p class="dim">{words.none}</p>}
            {data.map((key) => (
              <KeyView
                key={key.id}
                apiKey={key}
                isBusy={change.isRunning}
                onEdit={() => setOpen({ kind: 'edit', key })}
                onPause={(paused) => change.run(key, { paused })}
                onRotate={() => setOpen({ kind: 'rotate', key })}
                onRevoke={() => setOpen({ kind: 'revoke', key })}
              />
            ))}
          </>
        )}
      </Loaded>
      {open?.kind === 'new' && <KeyForm onSaved={onSaved} onClose={close} />}
      {open?.kind === 'edit' && <KeyForm apiKey={open.key} onSaved={onSaved} onClose={close} />}
      {open?.kind === 'rotate' && (
        <Confirm
          title={words.rotate}
          action={words.rotate}
          isRunning={rotate.isRunning}
          onConfirm={() => rotate.run(open.key)}
          onClose={close}
        >
          {words.rotateBody}
        </Confirm>
      )}
      {open?.kind === 'revoke' && (
        <Confirm
          title={shared.revoke}
          action={shared.revoke}
          isRunning={revoke.isRunning}
          onConfirm={() => revoke.run(open.key)}
          onClose={close}
        >
          {shared.revokeBody(open.key.label)}
        </Confirm>
      )}
      {open?.kind === 'secret' && (
        <Dialog title={words.secret} onClose={close}>
          <p>{words.secretBody}</p>
          <CopiedCode text={open.key.secret} />
          <Button kind="primary" onPress={close}>
            {words.done}
          </Button>
        </Dialog>
      )}
    </>
  );
}

function CopiedCode({ text }: { readonly text: string }) {
  return (
    <div class="copied">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}
