import { createConfig, type Environment, STORABLE_SETTINGS, type StorableSetting } from '../config/index.ts';
import { type ModelsConfig, type ProvidersFile, presetKeyVariables } from '../core/models/index.ts';
import { type SettingId, splitSettingId } from '../core/stored-settings/index.ts';
import { DEFAULT_TOOLS_CONFIG } from '../core/tools/index.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { readStoredEntry } from './stored-entries.ts';

/** Settings that admins have stored. */
export interface StoredValues {
  readonly values: ReadonlyMap<SettingId, unknown>;
  /** Settings whose values can't be decrypted. */
  readonly unreadable: readonly SettingId[];
  /** Settings whose problems are errors, because they are being changed. Others are left out, with a warning. */
  readonly changed?: ReadonlySet<SettingId> | undefined;
}

export const NOTHING_STORED: StoredValues = { values: new Map(), unreadable: [] };

/** Variables without which the service would be open to everyone, or would store files elsewhere. */
const ESSENTIAL: ReadonlySet<string> = new Set<StorableSetting>([
  'BOT_TOKEN',
  'ALLOWED_IDS',
  'STORAGE_CHAT_IDS',
  'UPLOADS',
]);

const CANT_BE_READ = 'it was encrypted with another key, or changed by hand';

/** Adds the stored variables to those of the environment, which take precedence. */
export function addStoredVariables(
  environment: Environment['values'],
  { values, unreadable, changed }: StoredValues,
  file: ProvidersFile | undefined,
) {
  const isInFile = (name: string) =>
    (name === 'DEFAULT_MODEL' && file?.defaultModel !== undefined) ||
    (name === 'DEFAULT_IMAGE_MODEL' && file?.defaultImageModel !== undefined);
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const isFixed = (name: string) => isSet(name) || isInFile(name);
  const fixed = STORABLE_SETTINGS.filter(isFixed).map(
    (name) => [`variable:${name}`, isSet(name) ? 'environment' : 'file'] as const,
  );
  const leftOut = new Map<SettingId, string>();
  const problems: string[] = [];
  for (const id of unreadable) {
    const { kind, name } = splitSettingId(id);
    if (kind !== 'variable' || isFixed(name)) continue;
    if (ESSENTIAL.has(name)) problems.push(describeLoss(name));
    else leftOut.set(id, CANT_BE_READ);
  }
  let names = STORABLE_SETTINGS.filter((name) => !isFixed(name) && typeof values.get(`variable:${name}`) === 'string');
  const merge = () => mergeVariables(environment, names, values);
  for (const [name, problem] of findInvalid(merge(), names)) {
    if (ESSENTIAL.has(name) || changed?.has(`variable:${name}`)) continue;
    leftOut.set(`variable:${name}`, problem);
    names = names.filter((other) => other !== name);
  }
  return { values: merge(), names, fixed, leftOut, problems };
}

function mergeVariables(
  environment: Environment['values'],
  names: readonly StorableSetting[],
  values: StoredValues['values'],
): Environment['values'] {
  const stored = Object.fromEntries(names.map((name) => [name, String(values.get(`variable:${name}`))]));
  // In a container DEMO only opens the playground, which a stored token replaces.
  const demo = names.includes('BOT_TOKEN') ? { DEMO: undefined } : {};
  return { ...environment, ...stored, ...demo };
}

/** Returns the stored variables that are named by problems of the configuration. */
function findInvalid(
  values: Environment['values'],
  names: readonly string[],
): readonly (readonly [StorableSetting, string])[] {
  if (names.length === 0) return [];
  try {
    createConfig(values, presetKeyVariables);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return STORABLE_SETTINGS.filter((name) => names.includes(name)).flatMap((name) => {
      const problem = error.problems.find((each) => each.startsWith(`${name} `));
      return problem === undefined ? [] : [[name, problem] as const];
    });
  }
}

function describeLoss(name: string): string {
  return `${name}, which an admin has stored in the console, can't be read: ${CANT_BE_READ}. Restore ENCRYPTION_KEY (or the file encryption.key in DATA_DIR), or set ${name} in the environment, which takes precedence`;
}

/** Adds the stored entries to the providers file, whose entries take precedence. */
export function addStoredEntries(
  file: ProvidersFile | undefined,
  { providers }: Pick<ModelsConfig, 'providers'>,
  { values, unreadable, changed }: StoredValues,
) {
  const fixed = listFixed(file, providers);
  const leftOut = new Map<SettingId, string>();
  for (const id of unreadable)
    if (splitSettingId(id).kind !== 'variable' && !fixed.has(id)) leftOut.set(id, CANT_BE_READ);
  const parts = [...values].flatMap(([id, value]) => {
    if (splitSettingId(id).kind === 'variable' || fixed.has(id)) return [];
    try {
      return [readStoredEntry(id, value)];
    } catch (error) {
      if (changed?.has(id)) throw error;
      // The service starts with any content of the database.
      leftOut.set(
        id,
        error instanceof SettingsError ? error.problems.join('; ') : `it can't be read: ${String(error)}`,
      );
      return [];
    }
  });
  return {
    /** Undefined: there is no file, and nothing is stored. */
    file: parts.length === 0 ? file : mergeParts(file ?? EMPTY_FILE, parts),
    providers: parts.flatMap((part) => part.providers),
    fixed,
    leftOut,
  };
}

const EMPTY_FILE: ProvidersFile = {
  providers: [],
  aliases: {},
  defaultModel: undefined,
  defaultImageModel: undefined,
  plans: {},
  tools: DEFAULT_TOOLS_CONFIG,
};

function mergeParts(file: ProvidersFile, parts: readonly ReturnType<typeof readStoredEntry>[]): ProvidersFile {
  return {
    ...file,
    aliases: Object.assign({}, ...parts.map(({ aliases }) => aliases), file.aliases),
    plans: Object.assign({}, ...parts.map(({ plans }) => plans), file.plans),
    budget: file.budget ?? parts.find(({ budget }) => budget)?.budget,
    tools: { ...file.tools, sources: [...file.tools.sources, ...parts.flatMap(({ sources }) => sources)] },
  };
}

function listFixed(file: ProvidersFile | undefined, providers: ModelsConfig['providers']) {
  const inFile = new Set(file?.providers.map(({ name }) => name));
  const ofFile = (kind: string, names: readonly string[]) =>
    names.map((name) => [`${kind}:${name}` as SettingId, 'file'] as const);
  return new Map<SettingId, 'environment' | 'file'>([
    ...providers.map(({ name = '' }) => [`provider:${name}`, inFile.has(name) ? 'file' : 'environment'] as const),
    ...ofFile('alias', Object.keys(file?.aliases ?? {})),
    ...ofFile('plan', Object.keys(file?.plans ?? {})),
    ...ofFile('budget', file?.budget ? ['instance'] : []),
    ...ofFile('tool', file?.tools.sources.map(({ name }) => name) ?? []),
  ]);
}
