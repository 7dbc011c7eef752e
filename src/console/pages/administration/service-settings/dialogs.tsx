import { useState } from 'preact/hooks';
import { request } from '../../../api/request.ts';
import type { ManagedModel, SettingEffect, SettingFormAnswer, SettingsList } from '../../../api/types.ts';
import { type List, useQuery } from '../../../api/use-query.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { Choice, Field, useSearch } from '../../../ui/field.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { ChangeDialog, type DialogProps, type FieldProblems, type ReadProps, toCondition } from './change-dialog.tsx';
import { type Draft, EMPTY_DRAFT, listPaths, toDraft, toValue } from './form-values.ts';
import type { EntryKind } from './page.tsx';
import { FormFields } from './setting-form.tsx';
import { texts } from './texts.ts';

interface EditProps extends ReadProps {
  readonly forms: SettingsList['forms'];
  readonly presets: SettingsList['presets'];
}

/** Changes a setting, unless another admin has changed it in the meantime. */
export function EditDialog({ read, ...props }: EditProps) {
  const [current, setCurrent] = useState(read);
  const Editor = read.body.kind === 'variable' ? VariableDialog : EntryDialog;
  return <Editor key={current.tag} {...props} read={current} onLoad={setCurrent} />;
}

interface EditorProps extends EditProps {
  readonly onLoad: (current: ReadProps['read']) => void;
}

function VariableDialog({ read, ...props }: EditorProps) {
  const words = useTexts(texts);
  const { id, name, value, secret } = read.body;
  const [text, setText] = useState(secret ? '' : String(value ?? ''));
  const field = { label: name, hint: words.hints[name] ?? '', value: text, onChange: setText };
  const modelType = MODEL_TYPES[name];
  return (
    <ChangeDialog
      {...props}
      title={words.editTitle(name)}
      toChange={() => ({ id, body: { value: text }, headers: toCondition(read) })}
    >
      {() =>
        modelType === undefined ? (
          <Field {...field} type={secret ? 'password' : 'text'} isRequired />
        ) : (
          <ModelField {...field} type={modelType} />
        )
      }
    </ChangeDialog>
  );
}

/** Variables that name a model, with the type of it. */
const MODEL_TYPES: Readonly<Record<string, ManagedModel['type']>> = {
  ['DEFAULT_MODEL']: 'chat',
  ['DEFAULT_IMAGE_MODEL']: 'image',
};
const MAX_SUGGESTIONS = 50;

interface ModelFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly type: ManagedModel['type'];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The name of a model, with those of the service that match what is entered. */
function ModelField({ type, onChange, ...field }: ModelFieldProps) {
  const { search, field: typed } = useSearch(field.value);
  const filter = new URLSearchParams({ type, limit: `${MAX_SUGGESTIONS}`, ...(search !== '' && { search }) });
  const models = useQuery<List<ManagedModel>>(`api/models?${filter}`);
  const change = (text: string) => {
    typed.onChange(text);
    onChange(text);
  };
  const suggestions = models.data?.data.map(({ id }) => id) ?? [];
  return <Field {...field} isRequired suggestions={suggestions} onChange={change} />;
}

function EntryDialog({ read, forms, presets, ...props }: EditorProps) {
  const words = useTexts(texts);
  const { id, kind, name, form: filled } = read.body;
  const form = forms.find((each) => (filled ? each.name === filled.name : each.kind === kind));
  const [draft, setDraft] = useState(() => toDraft(form?.fields ?? [], filled?.value));
  const [rest, setRest] = useState(filled?.rest_yaml ?? '');
  if (!form) return null;
  return (
    <ChangeDialog
      {...props}
      title={words.editTitle(name)}
      paths={listPaths(form.fields, draft)}
      toChange={() => ({ id, body: toBody(form, draft, rest, name), headers: toCondition(read) })}
    >
      {(problems) => <EntryFields {...{ form, presets, draft, rest, problems }} onDraft={setDraft} onRest={setRest} />}
    </ChangeDialog>
  );
}

interface AddDialogProps extends DialogProps {
  readonly kind: EntryKind;
  readonly forms: SettingsList['forms'];
  readonly presets: SettingsList['presets'];
}

/** Adds an entry. A preset provider is named after its preset. */
export function AddDialog({ kind, forms, presets, ...props }: AddDialogProps) {
  const words = useTexts(texts);
  const choices = forms.filter((form) => form.kind === kind);
  const [formName, setFormName] = useState(choices[0]?.name);
  const [name, setName] = useState(kind === 'budget' ? 'instance' : '');
  const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, texts: { preset: presets[0]?.name ?? '' } });
  const [rest, setRest] = useState('');
  const form = choices.find((choice) => choice.name === formName);
  if (!form) return null;
  const preset = kind === 'provider' ? draft.texts['preset'] : undefined;
  const entryName = preset || name.trim();
  const hasBadName = entryName !== '' && !NAME.test(entryName);
  return (
    <ChangeDialog
      {...props}
      title={words.addTitles[kind]}
      hasBadName={hasBadName}
      paths={listPaths(form.fields, draft)}
      toChange={() => ({
        id: `${kind}:${entryName}`,
        body: toBody(form, draft, rest, entryName),
        headers: { 'if-none-match': '*' },
      })}
    >
      {(problems) => (
        <>
          {choices.length > 1 && (
            <Choice
              label={words.form}
              value={form.name}
              options={choices.map((choice) => [choice.name, words.forms[choice.name] ?? choice.name] as const)}
              onChange={setFormName}
            />
          )}
          {kind !== 'budget' && !preset && (
            <Field
              label={words.name}
              hint={hasBadName ? undefined : words.nameHint}
              problem={hasBadName ? words.nameHint : undefined}
              isRequired
              value={name}
              onChange={setName}
            />
          )}
          <EntryFields {...{ form, presets, draft, rest, problems }} onDraft={setDraft} onRest={setRest} />
        </>
      )}
    </ChangeDialog>
  );
}

/** Names of settings in addresses. The service checks further rules of each kind. */
const NAME = /^[\w.-]{1,64}$/;
const YAML_ROWS = 5;

interface EntryFieldsProps {
  readonly form: SettingFormAnswer;
  readonly presets: SettingsList['presets'];
  readonly draft: Draft;
  /** Fields that the form does not have, as YAML. */
  readonly rest: string;
  readonly problems: FieldProblems;
  readonly onDraft: (draft: Draft) => void;
  readonly onRest: (rest: string) => void;
}

function EntryFields({ form, presets, draft, rest, problems, onDraft, onRest }: EntryFieldsProps) {
  const words = useTexts(texts);
  const yaml = <Field label={words.rest} hint={words.restHint} rows={YAML_ROWS} value={rest} onChange={onRest} />;
  return (
    <FormFields
      fields={form.fields}
      draft={draft}
      onChange={onDraft}
      problems={problems}
      optionNames={Object.fromEntries(presets.map((preset) => [preset.name, preset.display_name]))}
      {...(form.kind !== 'alias' && { more: yaml })}
    />
  );
}

function toBody(form: SettingFormAnswer, draft: Draft, rest: string, name: string): object {
  return { value: toValue(form.fields, draft, name) ?? [], ...(rest.trim() !== '' && { yaml: rest }) };
}

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
