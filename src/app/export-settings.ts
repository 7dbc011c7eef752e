import { type ProvidersFile, stringifyYaml } from '../core/models/index.ts';
import { type SettingKind, type StoredSetting, splitSettingId } from '../core/stored-settings/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import type { Settings } from './read-settings.ts';
import { ADDRESS_FIELDS, mapSecrets } from './secret-fields.ts';
import { listSettings } from './setting-views.ts';
import { toContent } from './stored-entries.ts';

type StoredById = Parameters<typeof listSettings>[1];

/**
 * Prints all settings in force as one providers file. Each secret is a variable that the file names; variables of the
 * environment and those that admins have stored are comments.
 */
export function exportSettings(settings: Settings, stored: StoredById): string {
  const toVariable = createNaming();
  const file = isJsonObject(settings.fileContent) ? settings.fileContent : {};
  const parts = [...stored.values()]
    .filter(({ id, state }) => state === 'stored' && !settings.fixed.has(id) && !settings.leftOut.has(id))
    .flatMap((setting) => toPart(setting, toVariable));
  const { defaultModel, defaultImageModel } = settings.models;
  const content = {
    ...file,
    ...(defaultModel !== undefined && { default_model: defaultModel }),
    ...(defaultImageModel !== undefined && { default_image_model: defaultImageModel }),
    ...joinLists('providers', [hideList(file, 'provider', toVariable), ...parts]),
    ...joinLists('tools', [hideList(file, 'tool', toVariable), ...parts]),
    ...joinFields('aliases', [...parts, file]),
    ...joinFields('plans', [...parts, file]),
    ...joinFields('budget', [...parts, file]),
  };
  return `${describeRest(settings, stored).join('')}${stringifyYaml(content)}`;
}

type ToVariable = (kind: SettingKind, name: string) => (secret: string, path: readonly string[]) => string;

/** Creates names of variables for secrets, each once: `${PROVIDER_GROQ_API_KEYS_0}`. */
function createNaming(): ToVariable {
  const taken = new Set<string>();
  return (kind, name) => (_secret, path) => {
    const base = [kind, name, ...path].join('_').toUpperCase().replaceAll(/\W/g, '_');
    let variable = base;
    for (let count = 2; taken.has(variable); count++) variable = `${base}_${count}`;
    taken.add(variable);
    return `\${${variable}}`;
  };
}

/** A stored entry as a providers file with nothing else. In the file, a `$` begins a variable. */
function toPart({ id, value }: StoredSetting, toVariable: ToVariable): readonly JsonObject[] {
  const { kind, name } = splitSettingId(id);
  if (kind === 'variable') return [];
  const escaped = isJsonObject(value) ? escapeAddresses(value) : value;
  return [toContent(kind, name, mapSecrets(kind, name, escaped, toVariable(kind, name)))];
}

function escapeAddresses(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([field, content]) => [
    field,
    ADDRESS_FIELDS.has(field) && typeof content === 'string' ? content.replaceAll('$', '$$$$') : content,
  ]);
  return Object.fromEntries(entries);
}

/** A text that is nothing but a variable of the file, after the scheme of a header. */
const REFERENCE = /^\s*(?:\w+ )?\$(?:\{\w+\}|\w+)\s*$/;

/** Returns the entries of the file without the secrets that are written in it. */
function hideList(file: JsonObject, kind: 'provider' | 'tool', toVariable: ToVariable): JsonObject {
  const field = kind === 'provider' ? 'providers' : 'tools';
  const list = Array.isArray(file[field]) ? file[field] : [];
  const entries = list.map((entry: unknown) => {
    const { name, preset, function: called } = isJsonObject(entry) ? entry : {};
    const toName = toVariable(kind, String(name ?? preset ?? called ?? ''));
    return mapSecrets(kind, '', entry, (text, path) => (REFERENCE.test(text) ? text : toName(text, path)));
  });
  return { [field]: entries };
}

function joinLists(field: 'providers' | 'tools', parts: readonly JsonObject[]): Partial<Record<string, unknown[]>> {
  const joined = parts.flatMap((part) => (Array.isArray(part[field]) ? part[field] : []));
  return joined.length === 0 ? {} : { [field]: joined };
}

/** Joins fields of the same name. The last part takes precedence. */
function joinFields(field: keyof ProvidersFile, parts: readonly JsonObject[]): JsonObject {
  const joined = Object.assign({}, ...parts.map((part) => part[field] ?? {}));
  return Object.keys(joined).length === 0 ? {} : { [field]: joined };
}

/** Returns comments about what does not belong into a providers file. */
function describeRest(settings: Settings, stored: StoredById): readonly string[] {
  const views = listSettings(settings, stored);
  const variables = views.flatMap(({ kind, name, origin, value, isSecret, problem }) => {
    if (kind !== 'variable' || value === undefined || origin === 'removed' || problem !== undefined) return [];
    return `${name}=${isSecret ? `\${${name}}` : value} (${origin === 'stored' ? 'set in the console' : origin})`;
  });
  const providers = views.flatMap(({ kind, name, origin }) =>
    kind === 'provider' && origin === 'environment' ? [name] : [],
  );
  const lines = [
    'All settings in force, as one providers file. Set the variables that it names; secrets are not in it.',
    ...variables,
    ...(providers.length > 0 ? [`Providers by variables of the environment: ${providers.join(', ')}`] : []),
  ];
  return lines.map(
    (line) =>
      `# ${line
        .split(/[\r\n]+/)
        .map((part) => part.trim())
        .join(' ')}\n`,
  );
}
