import { useState } from 'preact/hooks';
import { dollarsOf } from '../../../../texts/money.ts';
import { request, requestDeletion, toUrl } from '../../../api/request.ts';
import type { Key, Keys, KeyWithSecret } from '../../../api/types.ts';
import { useQuery } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import type { Page, PageProps } from '../../../page.ts';
import { toAddress } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { Confirm, Dialog } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useLocale, useSharedTexts, useTexts } from '../../../view-context.ts';
import { KeyBadge } from '../../shared/key-badge.tsx';
import { KeyForm } from './key-form.tsx';
import { texts } from './texts.ts';

/** The user's API keys. */
export const keysPage: Page = {
  name: 'keys',
  title: { en: 'API keys', ru: 'Ключи API' },
  icon: 'key',
  isForAdmins: false,
  View: KeysView,
};

/** The dialog above the list. */
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: Key }
  | { readonly kind: 'secret'; readonly key: KeyWithSecret };

const OVERLAP_SECONDS = 86_400;

/** @param rest the id of a key opens its rules. */
function KeysView({ rest: [asked] }: PageProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const keys = useQuery<Keys>('api/me/keys');
  const [pressed, setOpen] = useState<Open>();
  const askedKey = keys.data?.data.find(({ id }) => String(id) === asked);
  const open: Open | undefined = pressed ?? (askedKey && { kind: 'edit', key: askedKey });
  const close = () => {
    setOpen(undefined);
    if (asked !== undefined) location.hash = toAddress('keys');
  };
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
    if ('secret' in key) setOpen({ kind: 'secret', key });
    else close();
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
            <div class="columns">
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
            </div>
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

interface KeyViewProps {
  readonly apiKey: Key;
  readonly isBusy: boolean;
  readonly onEdit: () => void;
  readonly onPause: (isPaused: boolean) => void;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

/** One key with its rules and its last use. */
function KeyView({ apiKey, isBusy, onEdit, onPause, onRotate, onRevoke }: KeyViewProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const { label, prefix, scope, note, paused_at, expires_at, last_used, allowed_models, created_at } = apiKey;
  const locale = useLocale();
  const { dollars_per_day: day, dollars_per_month: month, dollars_total: total } = apiKey;
  const facts = [
    words.created(formatTime(created_at)),
    last_used ? words.lastUsed(formatTime(last_used.at), last_used.network) : words.unused,
    ...(expires_at ? [words.validUntil(formatTime(expires_at))] : []),
    ...(allowed_models ? [words.onlyModels(allowed_models.join(', '))] : []),
    ...(day === null ? [] : [words.budgetPerDay(dollarsOf(locale, day))]),
    ...(month === null ? [] : [words.budgetPerMonth(dollarsOf(locale, month))]),
    ...(total === null ? [] : [words.budgetTotal(dollarsOf(locale, total))]),
    ...(scope === 'manage' ? [words.manages] : []),
  ];
  return (
    <Card title={label} actions={<KeyBadge apiKey={apiKey} />}>
      <p>
        <code>{prefix}…</code>
      </p>
      {note && <p>{note}</p>}
      <p class="dim">{facts.join(' · ')}</p>
      <div class="buttons">
        <Button onPress={onEdit}>{shared.edit}</Button>
        {scope === 'use' && (
          <>
            <Button isBusy={isBusy} onPress={() => onPause(paused_at === null)}>
              {paused_at ? shared.resume : shared.pause}
            </Button>
            <Button onPress={onRotate}>{words.rotate}</Button>
          </>
        )}
        <Button kind="danger" onPress={onRevoke}>
          {shared.revoke}
        </Button>
      </div>
    </Card>
  );
}
