import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, request, type Tagged } from '../../../api/request.ts';
import type { SettingAnswer, SettingEffect, SettingsList } from '../../../api/types.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { Choice, Field, Switch } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction, useSubmission } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import type { EntryKind } from './page.tsx';
import { texts } from './texts.ts';

/** Stands for a stored secret in answers; sent back, it keeps the secret. */
export const KEPT_SECRET = '[stored]';

interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

interface Change {
  readonly id: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

interface ChangeDialogProps extends DialogProps {
  readonly title: string;
  /** Returns what is in the fields. */
  readonly toChange: () => Change;
  readonly children: ComponentChildren;
}

/** A form whose values are tested, stored and put in force. */
function ChangeDialog({ title, toChange, onChanged, onClose, children }: ChangeDialogProps) {
  const words = useTexts(texts);
  const [hasFailed, setHasFailed] = useState(false);
  const [isForced, setIsForced] = useState(false);
  const [isUndecided, setIsUndecided] = useState(false);
  const [isForEveryone, setIsForEveryone] = useState(false);
  const { run, isRunning, problem } = useSubmission(async () => {
    const { id, body, headers } = toChange();
    const accepted = { ...(isForced && { untested: true }), ...(isForEveryone && { for_everyone: true }) };
    const options = { body: { ...body, ...accepted }, headers };
    try {
      const { effect, findings } = await request<SettingEffect>('PUT', `api/settings/${id}`, options);
      showToast([words.effects[effect], ...findings].join(' '));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'setting_does_not_work') setHasFailed(true);
      if (error instanceof ApiError && error.code === 'access_undecided') setIsUndecided(true);
      throw error;
    }
    onChanged();
    onClose();
  });
  return (
    <FormDialog title={title} isRunning={isRunning} problem={problem} onSubmit={run} onClose={onClose}>
      {children}
      {hasFailed && <Switch label={words.force} isOn={isForced} onChange={setIsForced} />}
      {isUndecided && <Switch label={words.forEveryone} isOn={isForEveryone} onChange={setIsForEveryone} />}
    </FormDialog>
  );
}

const YAML_ROWS = 10;

interface ReadProps extends DialogProps {
  /** The setting when the dialog was opened. */
  readonly read: Tagged<SettingAnswer>;
}

/** Changes a setting, unless another admin has changed it in the meantime. */
export function EditDialog({ read, ...props }: ReadProps) {
  const words = useTexts(texts);
  const { id, kind, name, value, yaml } = read.body;
  const [text, setText] = useState(
    kind === 'variable' ? (value === KEPT_SECRET ? '' : String(value ?? '')) : (yaml ?? ''),
  );
  const isSecret = kind === 'variable' && /(?:TOKEN|KEY)$/.test(name);
  return (
    <ChangeDialog
      {...props}
      title={words.editTitle(name)}
      toChange={() => ({
        id,
        body: kind === 'variable' ? { value: text } : { yaml: text },
        headers: toCondition(read),
      })}
    >
      {kind === 'variable' ? (
        <Field
          label={name}
          hint={words.hints[name] ?? ''}
          type={isSecret ? 'password' : 'text'}
          isRequired
          value={text}
          onChange={setText}
        />
      ) : (
        <Field label={words.fields} hint={words.yamlHints[kind]} rows={YAML_ROWS} value={text} onChange={setText} />
      )}
    </ChangeDialog>
  );
}

interface AddDialogProps extends DialogProps {
  readonly kind: EntryKind;
  readonly presets: SettingsList['presets'];
}

/** Stands for a provider that is not a preset. */
const OTHER = '';

/** Adds an entry. Providers that need a key and nothing else have a short form. */
export function AddDialog({ kind, presets, ...props }: AddDialogProps) {
  const words = useTexts(texts);
  const [preset, setPreset] = useState(kind === 'provider' ? (presets[0]?.name ?? OTHER) : OTHER);
  const [name, setName] = useState(kind === 'budget' ? 'instance' : '');
  const [key, setKey] = useState('');
  const [text, setText] = useState(TEMPLATES[kind]);
  const isShort = preset !== OTHER;
  return (
    <ChangeDialog
      {...props}
      title={`${words.add}: ${words.kinds[kind]}`}
      toChange={() => ({
        id: `${kind}:${isShort ? preset : name.trim()}`,
        body: isShort ? { value: { preset, api_keys: [key] } } : { yaml: text },
        headers: { 'if-none-match': '*' },
      })}
    >
      {kind === 'provider' && (
        <Choice
          label={words.provider}
          value={preset}
          options={[...presets.map((each) => [each.name, each.display_name] as const), [OTHER, words.other] as const]}
          onChange={setPreset}
        />
      )}
      {isShort ? (
        <Field label={words.key} hint={words.keyHint} type="password" isRequired value={key} onChange={setKey} />
      ) : (
        <>
          {kind !== 'budget' && (
            <Field label={words.name} hint={words.nameHint} isRequired value={name} onChange={setName} />
          )}
          <Field label={words.fields} hint={words.yamlHints[kind]} rows={YAML_ROWS} value={text} onChange={setText} />
        </>
      )}
    </ChangeDialog>
  );
}

const TEMPLATES: Readonly<Record<EntryKind, string>> = {
  provider: 'base_url: https://llm.example.com/v1\napi_keys: [sk-…]\n',
  alias: '- groq/openai/gpt-oss-120b\n- openai/gpt-5\n',
  plan: 'user: { requests_per_minute: 10, dollars_per_month: 5 }\n',
  budget: 'dollars_per_month: 50\n',
  tool: 'mcp: https://mcp.example.com/mcp\nheaders: { Authorization: Bearer … }\n',
};

/** Removes a setting. *Undo* brings it back. */
export function RemoveDialog({ read, onChanged, onClose }: ReadProps) {
  const words = useTexts(texts);
  const { id, name } = read.body;
  const remove = useAction(async () => {
    const options = { headers: toCondition(read) };
    const { effect } = await request<SettingEffect>('DELETE', `api/settings/${id}`, options);
    showToast(words.effects[effect]);
    onChanged();
    onClose();
  });
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.remove}
      isRunning={remove.isRunning}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      {words.removeBody}
    </Confirm>
  );
}

function toCondition({ tag }: Tagged<SettingAnswer>): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { 'if-match': tag };
}
