import { useState } from 'preact/hooks';
import { request } from '../../../api/request.ts';
import type { Key, KeyWithSecret } from '../../../api/types.ts';
import { Field, toNumber } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';

interface KeyFormProps {
  /** Default: a new key. */
  readonly apiKey?: Key;
  readonly onSaved: (key: Key | KeyWithSecret) => void;
  readonly onClose: () => void;
}

/** Creates a key or changes its rules. */
export function KeyForm({ apiKey, onSaved, onClose }: KeyFormProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const [values, setValues] = useState(() => toValues(apiKey));
  const save = useAction(async () => {
    const [method, path] = apiKey ? ['PATCH', `api/me/keys/${apiKey.id}`] : ['POST', 'api/me/keys'];
    // Rules that did not change may be those of an admin.
    const before = toBody(toValues(apiKey));
    const body = Object.fromEntries(
      Object.entries(toBody(values)).filter(([name, value]) => String(value) !== String(before[name])),
    );
    onSaved(await request<Key | KeyWithSecret>(method, path, { body }));
  });
  const bind = (name: keyof Values) => ({
    value: values[name],
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
  });
  return (
    <FormDialog
      title={apiKey ? shared.edit : words.make}
      action={apiKey ? shared.save : words.create}
      isRunning={save.isRunning}
      onSubmit={save.run}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} isRequired maxLength={64} {...bind('label')} />
      <Field label={words.dollarsPerMonth} hint={words.noBudget} type="number" {...bind('dollarsPerMonth')} />
      {/* Open for existing keys, so that their rules are visible. */}
      <details open={apiKey !== undefined}>
        <summary>{words.more}</summary>
        <div class="stack">
          <Field label={words.dollarsPerDay} hint={words.noBudget} type="number" {...bind('dollarsPerDay')} />
          <Field label={words.dollarsTotal} hint={words.noBudget} type="number" {...bind('dollarsTotal')} />
          <Field label={words.models} hint={words.modelsHint} {...bind('models')} />
          <Field label={words.expires} hint={words.expiresHint} type="datetime-local" {...bind('expires')} />
          <Field label={words.requestsPerMinute} hint={words.noLimit} type="number" {...bind('requestsPerMinute')} />
          <Field label={words.tokensPerDay} hint={words.noLimit} type="number" {...bind('tokensPerDay')} />
          <Field label={words.atOnce} hint={words.noLimit} type="number" {...bind('atOnce')} />
          <Field label={words.note} {...bind('note')} />
        </div>
      </details>
    </FormDialog>
  );
}

/** Texts of the fields. */
type Values = ReturnType<typeof toValues>;

function toValues(key: Key | undefined) {
  return {
    label: key?.label ?? '',
    note: key?.note ?? '',
    models: key?.allowed_models?.join(', ') ?? '',
    expires: key?.expires_at ? toLocalTime(new Date(key.expires_at)) : '',
    requestsPerMinute: `${key?.requests_per_minute ?? ''}`,
    tokensPerDay: `${key?.tokens_per_day ?? ''}`,
    atOnce: `${key?.at_once ?? ''}`,
    dollarsPerDay: `${key?.dollars_per_day ?? ''}`,
    dollarsPerMonth: `${key?.dollars_per_month ?? ''}`,
    dollarsTotal: `${key?.dollars_total ?? ''}`,
  };
}

function toBody(values: Values): Readonly<Record<string, unknown>> {
  const models = values.models.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  return {
    label: values.label,
    note: values.note.trim() === '' ? null : values.note,
    allowed_models: models.length === 0 ? null : models,
    expires_at: values.expires === '' ? null : new Date(values.expires).toISOString(),
    requests_per_minute: toNumber(values.requestsPerMinute),
    tokens_per_day: toNumber(values.tokensPerDay),
    at_once: toNumber(values.atOnce),
    dollars_per_day: toNumber(values.dollarsPerDay),
    dollars_per_month: toNumber(values.dollarsPerMonth),
    dollars_total: toNumber(values.dollarsTotal),
  };
}

/** Returns a time as inputs for times expect it: local, without seconds. */
function toLocalTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
