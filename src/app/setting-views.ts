import { STORABLE_SETTINGS } from '../config/index.ts';
import {
  SettingFixedError,
  type SettingId,
  type SettingKind,
  type SettingView,
  type StoredSetting,
  splitSettingId,
} from '../core/stored-settings/index.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { unquote } from '../lib/unquote.ts';
import type { Settings } from './read-settings.ts';
import { hideStored, isSecretVariable, restoreSecrets } from './secret-fields.ts';
import { fillForm } from './setting-forms.ts';

type StoredById = ReadonlyMap<SettingId, StoredSetting>;

/** Lists the settings of the environment and the file, and the stored ones, by kind and name. */
export function listSettings(settings: Settings, stored: StoredById): readonly SettingView[] {
  const variables = STORABLE_SETTINGS.map((name): SettingId => `variable:${name}`);
  const ids = new Set<SettingId>([...variables, ...settings.fixed.keys(), ...stored.keys()]);
  return [...ids].flatMap((id) => {
    const view = viewSetting(settings, stored, id);
    return view.origin === 'removed' && !view.change && view.kind !== 'variable' ? [] : [view];
  });
}

/** Returns a setting; one that does not exist is `removed`. */
export function viewSetting({ fixed, leftOut, environment }: Settings, stored: StoredById, id: SettingId): SettingView {
  const { kind, name } = splitSettingId(id);
  const row = stored.get(id);
  const origin = fixed.get(id) ?? (row === undefined || row.state === 'removed' ? 'removed' : 'stored');
  const value = origin === 'environment' && kind === 'variable' ? environment[name]?.trim() : row?.value;
  const shown = origin === 'file' || value === undefined ? undefined : hideStored(kind, name, value);
  return {
    id,
    kind,
    name,
    origin,
    value: shown,
    isSecret: kind === 'variable' && isSecretVariable(name, String(value ?? '')),
    form: fillForm(kind, shown),
    problem: origin === 'stored' ? leftOut.get(id) : undefined,
    change: row && { version: row.version, changedBy: row.changedBy, changedAt: row.changedAt },
  };
}

/**
 * Returns the values of a change as they are to be stored, with the secrets that are kept.
 * @throws SettingFixedError, SettingsError
 */
export function completeChange(
  { fixed }: Settings,
  stored: StoredById,
  values: ReadonlyMap<SettingId, unknown>,
): ReadonlyMap<SettingId, unknown> {
  return new Map(
    [...values].map(([id, value]) => {
      const { kind, name } = splitSettingId(id);
      const origin = fixed.get(id);
      if (origin)
        throw new SettingFixedError(`${name} is set in the ${origin === 'file' ? 'providers file' : 'environment'}`);
      if (kind === 'variable' && !STORABLE_SETTINGS.some((known) => known === name))
        throw new SettingFixedError(`${name} can only be set in the environment`);
      if (kind === 'budget' && name !== 'instance') throw new SettingFixedError('The only budget is that of instance');
      if (value === undefined) return [id, undefined] as const;
      const cleaned = cleanValue(kind, name, value);
      const restored = restoreSecrets(kind, name, cleaned, stored.get(id)?.value);
      if (restored === undefined)
        throw new SettingsError([
          `${kind} ${name}: enter the secrets again, because the address has changed or none are stored`,
        ]);
      return [id, restored] as const;
    }),
  );
}

/** Removes spaces and quotes around what was pasted. */
function cleanValue(kind: SettingKind, name: string, value: unknown): unknown {
  if (kind === 'variable') {
    if (typeof value !== 'string' || value.trim() === '')
      throw new SettingsError([`${name} must be a text that is not empty`]);
    return unquote(value);
  }
  return cleanKeys(value);
}

function cleanKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('api_keys' in value)) return value;
  const { api_keys: keys } = value;
  const clean = (key: unknown) => (typeof key === 'string' ? unquote(key) : key);
  return { ...value, api_keys: Array.isArray(keys) ? keys.map(clean) : clean(keys) };
}

/** Describes a change for the audit log, without secrets: `added`, `changed base_url, models`, `removed`. */
export function describeChange(id: SettingId, value: unknown, former: unknown): string {
  const { kind, name } = splitSettingId(id);
  if (value === undefined) return 'removed';
  if (kind === 'variable') {
    const shown = hideStored(kind, name, value);
    return shown === value ? String(value).slice(0, MAX_NOTE_LENGTH) : former === undefined ? 'added' : 'changed';
  }
  if (former === undefined) return 'added';
  const fields = new Set([...Object.keys(Object(value)), ...Object.keys(Object(former))]);
  const changed = [...fields].filter(
    (field) => JSON.stringify(Object(value)[field]) !== JSON.stringify(Object(former)[field]),
  );
  return `changed ${changed.join(', ')}`.slice(0, MAX_NOTE_LENGTH).trim();
}

const MAX_NOTE_LENGTH = 200;
