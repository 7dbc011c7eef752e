import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, request, requestTagged, type Tagged } from '../../../api/request.ts';
import type { SettingAnswer, SettingEffect } from '../../../api/types.ts';
import { useTimeFormat } from '../../../formats.ts';
import { Button } from '../../../ui/button.tsx';
import { Switch } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { FormProblem, useSubmission } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { printUser } from '../../shared/to-name.ts';
import { assignProblems } from './form-values.ts';
import { texts } from './texts.ts';

export interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export interface ReadProps extends DialogProps {
  /** The setting when the dialog was opened. */
  readonly read: Tagged<SettingAnswer>;
}

/** A change as it is sent. */
export interface SettingChange {
  readonly id: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why values were refused, by the path of their field. */
export type FieldProblems = ReadonlyMap<string, string>;

interface ChangeDialogProps extends DialogProps {
  readonly title: string;
  /** Returns the change that the fields describe. */
  readonly toChange: () => SettingChange;
  /** True if the name has characters that no name may have; its field says which may be. */
  readonly hasBadName?: boolean;
  /** Paths of the fields that are shown. */
  readonly paths?: readonly string[];
  /** Shows the setting as another admin has changed it in the meantime. */
  readonly onLoad?: (current: Tagged<SettingAnswer>) => void;
  readonly children: (problems: FieldProblems) => ComponentChildren;
}

/** A form whose values are tested, stored and put in force. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, toChange, hasBadName = false, paths = [], onLoad, onChanged, onClose, children } = props;
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const [asked, setAsked] = useState<'force' | 'everyone'>();
  const [accepted, setAccepted] = useState<Readonly<Record<string, boolean>>>({});
  const [problems, setProblems] = useState<FieldProblems>(new Map());
  const [findings, setFindings] = useState<readonly string[]>();
  const [current, setCurrent] = useState<Tagged<SettingAnswer>>();
  useEffect(() => document.querySelector<HTMLElement>('dialog [aria-invalid="true"]')?.focus(), [problems]);
  /** Explains a refusal. @throws ApiError | FormProblem whose message is for the form as a whole. */
  const explain = async (error: ApiError, { id, headers }: SettingChange): Promise<never> => {
    if (error.code === 'setting_does_not_work') setAsked('force');
    if (error.code === 'access_undecided') setAsked('everyone');
    if (error.code === 'setting_invalid') {
      const { byPath, others } = assignProblems(error.message, id.replace(':', ' '), paths);
      setProblems(byPath);
      const message = others.join('\n');
      throw message === '' ? new FormProblem(words.seeFields) : new ApiError(error.status, error.code, message);
    }
    if (error.status !== CHANGED || headers['if-match'] === undefined) throw error;
    const latest = await requestTagged<SettingAnswer>('GET', `api/settings/${id}`);
    if (latest.tag === headers['if-match']) throw new FormProblem(words.othersChanged);
    setCurrent(latest);
    const { changed_by: admin, changed_by_name: adminName, changed_at: time } = latest.body;
    throw new FormProblem(words.conflict(printUser(admin ?? '?', adminName), time === null ? '?' : formatTime(time)));
  };
  const send = async <Answer,>(method: 'PUT' | 'POST', below: string): Promise<Answer> => {
    const change = toChange();
    const { id, body, headers } = change;
    setProblems(new Map());
    setFindings(undefined);
    if (hasBadName) throw new FormProblem(words.seeFields);
    const options = { body: { ...body, ...accepted }, headers: method === 'PUT' ? headers : {} };
    try {
      return await request<Answer>(method, `api/settings/${id}${below}`, options);
    } catch (error) {
      if (error instanceof ApiError) return explain(error, change);
      throw error;
    }
  };
  const saving = useSubmission(async () => {
    testing.forget();
    const { effect, findings: found } = await send<SettingEffect>('PUT', '');
    showToast([words.effects[effect], ...found].join(' '));
    onChanged();
    onClose();
  });
  const testing = useSubmission(async () => {
    saving.forget();
    const { findings: found } = await send<Pick<SettingEffect, 'findings'>>('POST', '/test');
    setFindings(found);
    setAsked(undefined);
    setAccepted({});
  });
  const accept = (field: string) => (isOn: boolean) => setAccepted({ ...accepted, [field]: isOn });
  return (
    <FormDialog
      title={title}
      isRunning={saving.isRunning}
      problem={saving.problem ?? testing.problem}
      actions={
        <Button isBusy={testing.isRunning} onPress={() => testing.run()}>
          {words.test}
        </Button>
      }
      onSubmit={saving.run}
      onClose={onClose}
    >
      {children(problems)}
      {findings && <p role="status">{words.works(findings.join(' '))}</p>}
      {asked === 'force' && (
        <Switch label={words.force} isOn={accepted['untested'] ?? false} onChange={accept('untested')} />
      )}
      {asked === 'everyone' && (
        <Switch label={words.forEveryone} isOn={accepted['for_everyone'] ?? false} onChange={accept('for_everyone')} />
      )}
      {current && onLoad && <Button onPress={() => onLoad(current)}>{words.load}</Button>}
    </FormDialog>
  );
}

const CHANGED = 412;

/** Returns the header by which a change is refused if the setting has changed since it was read. */
export function toCondition({ tag }: Tagged<SettingAnswer>): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { 'if-match': tag };
}
