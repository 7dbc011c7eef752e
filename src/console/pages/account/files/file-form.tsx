import { useState } from 'preact/hooks';
import { request } from '../../../api/request.ts';
import type { OwnFile } from '../../../api/types.ts';
import { useTimeFormat } from '../../../formats.ts';
import { Choice, Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';

interface FileFormProps {
  readonly file: OwnFile;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** `keep`: as it is; otherwise the hours until the file expires. */
const EXPIRIES = ['keep', 'never', '1', '24', '168', '720'] as const;
const PASSWORDS = ['keep', 'none', 'new'] as const;
type Expiry = (typeof EXPIRIES)[number];
type Password = (typeof PASSWORDS)[number];

const MAX_NAME_LENGTH = 255;
/** The service takes 256 bytes, and characters have up to four in UTF-8. */
const MAX_PASSWORD_LENGTH = 64;

/** A form for the name, the expiry and the password of a file. */
export function FileForm({ file, onSaved, onClose }: FileFormProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const [name, setName] = useState(file.name);
  const [expiry, setExpiry] = useState<Expiry>('keep');
  const [kind, setKind] = useState<Password>('keep');
  const [password, setPassword] = useState('');
  const save = useAction(async () => {
    const body = {
      ...(name !== file.name && { name }),
      ...toExpiry(expiry),
      ...(kind === 'none' && { password: null }),
      ...(kind === 'new' && { password }),
    };
    await request('PATCH', `api/me/files/${file.id}`, { body });
    onSaved();
  });
  const currentExpiry = file.expires_at ? words.expiresAt(formatTime(file.expires_at)) : words.expiresNever;
  const toExpiryText = (value: Expiry) =>
    value === 'keep' ? currentExpiry : value === 'never' ? words.expiresNever : words.expiresAfter(Number(value));
  const expiries = EXPIRIES.filter((value) => value !== 'never' || file.expires_at !== null);
  const passwords = PASSWORDS.filter((value) => value !== 'none' || file.has_password);
  const toPasswordText = (value: Password) =>
    value === 'keep' ? words.samePassword(file.has_password) : words.passwords[value];
  return (
    <FormDialog title={shared.edit} isRunning={save.isRunning} onSubmit={save.run} onClose={onClose}>
      <Field label={words.name} value={name} onChange={setName} maxLength={MAX_NAME_LENGTH} isRequired />
      <Choice
        label={words.expiry}
        value={expiry}
        options={expiries.map((value) => [value, toExpiryText(value)])}
        onChange={setExpiry}
      />
      {file.kind === 'file' && (
        <Choice
          label={words.password}
          value={kind}
          options={passwords.map((value) => [value, toPasswordText(value)])}
          onChange={setKind}
        />
      )}
      {kind === 'new' && (
        <Field
          label={words.newPassword}
          type="password"
          value={password}
          onChange={setPassword}
          maxLength={MAX_PASSWORD_LENGTH}
          isRequired
        />
      )}
    </FormDialog>
  );
}

const HOUR_MS = 3_600_000;

function toExpiry(expiry: Expiry): { readonly expires_at?: string | null } {
  if (expiry === 'keep') return {};
  if (expiry === 'never') return { expires_at: null };
  return { expires_at: new Date(Date.now() + Number(expiry) * HOUR_MS).toISOString() };
}
