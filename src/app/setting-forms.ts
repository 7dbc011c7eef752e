import { z } from 'zod';
import { instanceBudgetSchema, plansSchema } from '../core/limits/index.ts';
import { KEY_ONLY_PRESETS, providerEntrySchema, toolEntrySchema } from '../core/models/index.ts';
import type { FilledForm, FormField, SettingForm, SettingKind } from '../core/stored-settings/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { readPath, removePath, writePath } from '../lib/json/paths.ts';
import { SECRET_FIELDS } from './secret-fields.ts';

type Schema = z.core.$ZodType;

interface FormParams {
  readonly kind: SettingKind;
  readonly schema: Schema;
  /** Paths of the fields that most entries need, in their order. */
  readonly main: readonly string[];
  /** Fields that the form has. Default: all that it can show. */
  readonly only?: readonly string[];
  /** Facts about fields that are not in the schema. */
  readonly details?: Readonly<Record<string, Partial<FormField>>>;
}

const AMOUNTS = ['dollars_per_day', 'dollars_per_month'];
const LIMITS = ['requests_per_minute', 'tokens_per_day', ...AMOUNTS, 'at_once'].map((field) => `user.${field}`);
const MODEL_FIELDS = ['id', 'name', 'type', 'context_length', 'price.input', 'price.output', 'price.image'];

/** Forms for the entries of the providers file, from the schemas of the file. */
export const SETTING_FORMS: readonly SettingForm[] = [
  createForm('provider', {
    kind: 'provider',
    schema: providerEntrySchema,
    main: ['preset', 'type', 'base_url', 'api_keys', 'models'],
    details: {
      preset: { type: 'choice', options: KEY_ONLY_PRESETS.map(({ name }) => name) },
      type: { unless: 'preset' },
      base_url: { unless: 'preset' },
    },
  }),
  createForm('alias', { kind: 'alias', schema: z.array(z.string()), main: [''] }),
  createForm('plan', { kind: 'plan', schema: plansSchema.valueType, main: LIMITS }),
  createForm('budget', { kind: 'budget', schema: instanceBudgetSchema, main: AMOUNTS }),
  createForm('mcp', {
    kind: 'tool',
    schema: toolEntrySchema,
    only: ['mcp', 'headers', 'only', 'ask'],
    main: ['mcp', 'headers', 'ask'],
  }),
  createForm('function', {
    kind: 'tool',
    schema: toolEntrySchema,
    only: ['function', 'url', 'description', 'headers', 'ask'],
    main: ['url', 'description', 'headers', 'ask'],
    details: { function: { type: 'name' } },
  }),
];

function createForm(name: SettingForm['name'], { kind, schema, main, only, details = {} }: FormParams): SettingForm {
  const fields = listFields(schema, '')
    .filter(({ path }) => path !== 'name' && (only?.includes(path) ?? true))
    .map((field): FormField => ({ ...field, isMain: main.includes(field.path), ...details[field.path] }));
  return { name, kind, fields: inOrder(fields, main) };
}

function inOrder(fields: readonly FormField[], main: readonly string[]): readonly FormField[] {
  const place = ({ path }: FormField) => (main.includes(path) ? main.indexOf(path) : main.length);
  return fields.toSorted((one, other) => place(one) - place(other));
}

/** Returns the fields of a schema that a form can show. */
function listFields(schema: Schema, path: string, isSecret = false): readonly FormField[] {
  const field = (type: FormField['type'], options?: readonly string[]): readonly FormField[] => [
    { path, type, isSecret, isMain: false, ...(options && { options }) },
  ];
  if (z.globalRegistry.get(schema)?.['isNumber'] === true) return field('number');
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'default':
      return listFields(def.innerType, path, isSecret);
    case 'pipe':
      return listFields(typeOf(def.in) === 'transform' ? def.out : def.in, path, isSecret);
    case 'union':
      return listFields(chooseOption(def.options), path, isSecret);
    case 'object':
      return Object.entries(def.shape).flatMap(([name, inner]) =>
        listFields(inner, path === '' ? name : `${path}.${name}`, isSecret || SECRET_FIELDS.has(name)),
      );
    case 'array':
      return toList(listFields(def.element, ''), field);
    case 'enum':
      return field('choice', Object.values(def.entries).map(String));
    case 'string':
      return field('text');
    case 'number':
      return field('number');
    case 'boolean':
      return field('flag');
    case 'record':
      return isSecret ? field('pairs') : [];
    default:
      return [];
  }
}

function toList(
  fields: readonly FormField[],
  field: (type: FormField['type']) => readonly FormField[],
): readonly FormField[] {
  const [first] = fields;
  if (first?.path === '') return field(first.type === 'number' ? 'numbers' : 'lines');
  const items = inOrder(
    fields.map((inner) => ({ ...inner, isMain: MODEL_FIELDS.includes(inner.path) })),
    MODEL_FIELDS,
  );
  return field('items').map((list) => ({ ...list, fields: items }));
}

function typeOf(schema: Schema) {
  return (schema as z.core.$ZodTypes)._zod.def.type;
}

/** Returns the option of a union that holds the most. */
function chooseOption(options: readonly Schema[]): Schema {
  const richest = ['array', 'object'].flatMap((type) => options.find((option) => typeOf(option) === type) ?? []);
  return richest[0] ?? options[0] ?? z.unknown();
}

/** Returns the form of a setting with its values; undefined for settings without a form. */
export function fillForm(kind: SettingKind, value: unknown): FilledForm | undefined {
  const isFunction = kind === 'tool' && isJsonObject(value) && 'function' in value;
  const form = SETTING_FORMS.find((each) => each.kind === kind && (each.name === 'function') === isFunction);
  if (!form || value === undefined) return undefined;
  if (!isJsonObject(value)) return { name: form.name, value: [value].flat(), rest: {} };
  const known: JsonObject = {};
  const rest = structuredClone(value);
  for (const field of form.fields) {
    const steps = field.path.split('.');
    const content = readPath(value, steps);
    if (!fits(field, content)) continue;
    writePath(known, steps, field.type === 'items' ? toItems(field, content) : content);
    removePath(rest, steps);
  }
  return { name: form.name, value: known, rest };
}

/** Returns whether a field can show a content. Other contents are edited as YAML. */
function fits({ type, options, fields }: FormField, content: unknown): boolean {
  const isText = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  switch (type) {
    case 'text':
    case 'name':
      return isText(content);
    case 'choice':
      return options?.some((option) => option === content) ?? false;
    case 'number':
      return typeof content === 'number';
    case 'flag':
      return typeof content === 'boolean';
    case 'lines':
      return [content].flat().every(isText);
    case 'numbers':
      return Array.isArray(content) && content.every((each) => typeof each === 'number');
    case 'pairs':
      return isJsonObject(content) && Object.values(content).every(isText);
    case 'items':
      return [content].flat().every((item) => typeof item === 'string' || (isJsonObject(item) && fields !== undefined));
  }
}

/** Returns items as objects: a text stands for an item with its first field only. */
function toItems({ fields }: FormField, content: unknown): readonly unknown[] {
  const first = fields?.[0]?.path ?? '';
  return [content].flat().map((item) => (typeof item === 'string' ? { [first]: item } : item));
}
