import { z } from 'zod';
import { KEY_ONLY_PRESETS, parseYaml, stringifyYaml } from '../../core/models/index.ts';
import {
  type ChangeEffect,
  FORM_NAMES,
  type FormField,
  SETTING_KINDS,
  type SettingForm,
  type SettingId,
  type SettingsEditor,
  type SettingView,
  toSettingId,
} from '../../core/stored-settings/index.ts';
import { SettingsError } from '../../lib/errors/settings-error.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { timeFieldSchema, toTime } from '../resources/fields.ts';
import { textSchema } from '../resources/query.ts';

/** Maximum length of an entry as YAML, which is parsed on the main thread. */
const MAX_YAML_LENGTH = 16_000;

const idProblem = `must be one of ${SETTING_KINDS.map((kind) => `'${kind}:<name>'`).join(', ')}`;
/** Id of a setting in an address. */
export const idSchema = z.string(idProblem).transform((text, context): SettingId => {
  const id = toSettingId(text);
  if (id) return id;
  context.addIssue({ code: 'custom', message: idProblem });
  return z.NEVER;
});

/** A setting in an answer. */
export const settingSchema = z
  .strictObject({
    id: z.string(),
    kind: z.enum(SETTING_KINDS),
    name: z.string(),
    origin: z
      .enum(['environment', 'file', 'stored', 'removed'])
      .describe(
        '`environment` and `file` (the providers file) take precedence and can’t be changed here. `removed`: it is not set.',
      ),
    secret: z.boolean().describe('Whether the value is a secret as a whole.'),
    value: z
      .unknown()
      .describe('Without secrets, which are "[stored]". null: not set, an entry of the file, or unreadable.'),
    yaml: z.string().nullable().describe('The fields of a stored entry as in the providers file, without secrets.'),
    form: z
      .strictObject({
        name: z.enum(FORM_NAMES).describe('One of `forms` of the list.'),
        value: z.unknown().describe('The fields that the form has.'),
        rest_yaml: z.string().describe('The others, as in the providers file; empty if there are none.'),
      })
      .nullable()
      .describe('The value of an entry as a form shows it.'),
    problem: z.string().nullable().describe('Why a stored setting is not in force.'),
    version: z.int().nullable().describe('Number of changes; null: it was never stored.'),
    changed_by: z.int().nullable().describe('Telegram id of the admin.'),
    changed_by_name: z
      .string()
      .nullable()
      .describe('Note or name of the admin, if one is stored. Not part of the `ETag`.'),
    changed_at: timeFieldSchema.nullable(),
  })
  .meta({ id: 'StoredSetting' });

/** A setting without secrets. */
export type SettingAnswer = z.infer<typeof settingSchema>;

const fieldShape = {
  path: z.string().describe('`user.tokens_per_day`. Empty: the setting as a whole.'),
  type: z.enum(['text', 'number', 'flag', 'choice', 'lines', 'numbers', 'pairs', 'items', 'name']),
  secret: z.boolean().describe('Whether its texts are secrets, which are "[stored]" in answers.'),
  main: z.boolean().describe('Whether most entries need it.'),
  unless: z.string().nullable().describe('Path of a field in place of which it is needed.'),
  options: z.array(z.string()).nullable(),
};
const formSchema = z
  .strictObject({
    name: z.enum(FORM_NAMES),
    kind: z.enum(SETTING_KINDS),
    fields: z.array(
      z.strictObject({
        ...fieldShape,
        fields: z.array(z.strictObject(fieldShape)).nullable().describe('Fields of each of the `items`.'),
      }),
    ),
  })
  .meta({ id: 'SettingForm' });

/** A form for entries of the providers file. */
export type SettingFormAnswer = z.infer<typeof formSchema>;

/** All settings in an answer. */
export const listSchema = z.strictObject({
  data: z.array(settingSchema),
  presets: z
    .array(z.strictObject({ name: z.string(), display_name: z.string() }))
    .describe('Providers that need a key and nothing else: `{"preset": "groq", "api_keys": ["…"]}`.'),
  forms: z.array(formSchema).describe('Forms for entries of the providers file.'),
  obstacle: z.string().nullable().describe('Why nothing can be stored; null if it can.'),
});

/** All settings of the service. */
export type SettingsList = z.infer<typeof listSchema>;

/** Answer to a change. */
export const effectSchema = z.strictObject({
  setting: settingSchema,
  effect: z
    .enum(['in_force', 'restarting'])
    .describe('`restarting`: the service stops and starts again with the change, which takes up to half a minute.'),
  findings: z.array(z.string()).describe('What the tests have found, such as the number of models.'),
});

/** Returns the effect of a change as answers name it. */
export function toEffect(kind: ChangeEffect['kind']): SettingEffect['effect'] {
  return kind === 'in-force' ? 'in_force' : 'restarting';
}

/** Effect of a change. */
export type SettingEffect = z.infer<typeof effectSchema>;

/** Body of a change. */
export const changeSchema = z
  .strictObject({
    value: z
      .unknown()
      .optional()
      .describe('Text of a variable, or the fields of an entry. "[stored]" keeps a stored secret.'),
    yaml: textSchema(MAX_YAML_LENGTH)
      .optional()
      .describe('Fields of an entry as in the providers file: all of them, or those that `value` lacks.'),
    untested: z.boolean().optional().describe('Stores it even if what it names does not answer. Default false.'),
    for_everyone: z
      .boolean()
      .optional()
      .describe('Accepts that the bot has no admins and is open to everyone. Default false.'),
  })
  .refine(({ value, yaml }) => (value ?? yaml) !== undefined, 'must have value or yaml')
  .meta({ examples: [{ value: { preset: 'groq', api_keys: ['gsk_…'] } }] });

/** Returns a setting as an answer. @param names of admins, by their Telegram id. Default: none, as for the `ETag`. */
export function toSettingAnswer(setting: SettingView, names?: ReadonlyMap<number, string>): SettingAnswer {
  const { id, kind, name, origin, value, isSecret, form, problem, change } = setting;
  return {
    ...{ id, kind, name, origin, secret: isSecret },
    value: value ?? null,
    yaml: kind === 'variable' || value === undefined ? null : stringifyYaml(value),
    form: form ? { name: form.name, value: form.value, rest_yaml: printRest(form.rest) } : null,
    problem: problem ?? null,
    version: change?.version ?? null,
    changed_by: change?.changedBy ?? null,
    changed_by_name: names?.get(change?.changedBy ?? 0) ?? null,
    changed_at: change ? toTime(change.changedAt) : null,
  };
}

function printRest(rest: object): string {
  return Object.keys(rest).length === 0 ? '' : stringifyYaml(rest);
}

/** Returns all settings as an answer. */
export function toSettingsList(
  editor: SettingsEditor,
  settings: readonly SettingAnswer[],
  obstacle: string | undefined,
): SettingsList {
  return {
    data: [...settings],
    presets: KEY_ONLY_PRESETS.map(({ name, displayName }) => ({ name, display_name: displayName })),
    forms: editor.forms.map(toFormAnswer),
    obstacle: obstacle ?? null,
  };
}

function toFormAnswer({ name, kind, fields }: SettingForm): SettingFormAnswer {
  return {
    name,
    kind,
    fields: fields.map((field) => ({ ...toField(field), fields: field.fields?.map(toField) ?? null })),
  };
}

function toField({ path, type, isSecret, isMain, unless, options }: FormField) {
  return { path, type, secret: isSecret, main: isMain, unless: unless ?? null, options: options ? [...options] : null };
}

/**
 * Returns the value of a change.
 * @throws SettingsError if the YAML is invalid, or a field is given twice.
 */
export function toGivenValue({ value, yaml }: Pick<z.infer<typeof changeSchema>, 'value' | 'yaml'>): unknown {
  if (yaml === undefined) return value;
  const rest = parseYaml(yaml);
  return value === undefined ? rest : joinFields(value, rest, []);
}

/** Returns the fields of both; `{}` has none, as an empty YAML. */
function joinFields(value: unknown, rest: unknown, path: readonly string[]): unknown {
  if (isJsonObject(value) && isJsonObject(rest)) {
    const joined = Object.entries(rest).map(([name, content]) => {
      return [name, Object.hasOwn(value, name) ? joinFields(value[name], content, [...path, name]) : content];
    });
    return { ...value, ...Object.fromEntries(joined) };
  }
  if (isJsonObject(rest) && Object.keys(rest).length === 0) return value;
  throw new SettingsError([`${path.join('.') || 'yaml'}: is given twice, in value and in yaml`]);
}
