import { readFile } from 'node:fs/promises';
import {
  type Config,
  createConfig,
  type Environment,
  findRisks,
  findUnknownSettings,
  settingNames,
} from '../config/index.ts';
import type { InstanceBudget, Plans } from '../core/limits/index.ts';
import {
  type ModelsConfig,
  type ProvidersFile,
  parseYaml,
  presetKeyVariables,
  readProvidersContent,
  toModelsConfig,
} from '../core/models/index.ts';
import type { SettingId } from '../core/stored-settings/index.ts';
import { DEFAULT_TOOLS_CONFIG, type ToolsConfig } from '../core/tools/index.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { addStoredEntries, addStoredVariables, NOTHING_STORED, type StoredValues } from './stored-values.ts';

/** All settings of the process. */
export interface Settings {
  readonly config: Config;
  readonly models: ModelsConfig;
  readonly plans: Plans;
  readonly budget: InstanceBudget | undefined;
  readonly tools: ToolsConfig;
  /** The providers file as it is written, without its variables. */
  readonly fileContent?: unknown;
  /** Sentences about settings that are valid but probably a mistake. */
  readonly warnings: readonly string[];
  /** The raw variables, with those that admins have stored. */
  readonly environment: Environment['values'];
  /** Settings that the console can't change: those of the environment and of the providers file. */
  readonly fixed: ReadonlyMap<SettingId, 'environment' | 'file'>;
  /** Stored settings that are not in force, each with the reason. */
  readonly leftOut: ReadonlyMap<SettingId, string>;
  /** Names of the variables that admins have stored. */
  readonly storedVariables: readonly string[];
}

/** Rules for users that can be reloaded while the process runs. */
export interface Rules extends Pick<Config, 'adminIds' | 'allowedIds'> {
  /** Whether names and usernames of users are stored. Default false. */
  readonly storesNames?: boolean | undefined;
  /** Uploads over HTTP that are allowed. Default `anyone`. */
  readonly uploads?: Config['uploads'] | undefined;
  readonly plans: Plans;
  /** Budget of the whole instance. */
  readonly budget?: InstanceBudget | undefined;
}

/**
 * Reads all settings. The environment and the providers file take precedence over what is stored.
 * @throws SettingsError with all problems of the environment, its names, and the providers file, and of the stored
 * settings that the service can't do without.
 */
export async function readSettings(variables: Environment, stored: StoredValues = NOTHING_STORED): Promise<Settings> {
  const namesInFile: string[] = [];
  const [file] = await Promise.allSettled([readProvidersFile(variables.values, (name) => namesInFile.push(name))]);
  const read = file.status === 'fulfilled' ? file.value : undefined;
  const added = addStoredVariables(variables.values, stored, read?.file);
  const { values: environment } = added;
  const [config] = await Promise.allSettled([Promise.try(() => createConfig(environment, presetKeyVariables))]);
  const reasons = [config, file].flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
  const foreign = reasons.find((reason) => !(reason instanceof SettingsError));
  if (foreign) throw foreign;
  const problems = [...added.problems, ...reasons.flatMap((reason: SettingsError) => reason.problems)];
  const unknown = findUnknownSettings({ ...variables, values: environment }, [
    ...settingNames,
    ...presetKeyVariables,
    ...namesInFile,
  ]);
  // The variables used by an invalid providers file are not known.
  if (file.status === 'fulfilled') problems.push(...unknown.problems);
  if (config.status === 'rejected' || file.status === 'rejected' || problems.length > 0)
    throw new SettingsError(problems);
  const toModels = (providersFile: ProvidersFile | undefined, storedProviders: ProvidersFile['providers'] = []) =>
    toModelsConfig({ ...config.value.models, providersFile, storedProviders });
  const entries = addStoredEntries(read?.file, toModels(read?.file), stored);
  const leftOut = new Map([...added.leftOut, ...entries.leftOut]);
  const tools = entries.file?.tools ?? DEFAULT_TOOLS_CONFIG;
  return {
    environment,
    warnings: [
      ...unknown.warnings,
      ...findRisks(config.value),
      ...[...leftOut].map(([id, reason]) => `the stored setting ${id} is not in force: ${reason}`),
    ],
    config: config.value,
    models: toModels(entries.file, entries.providers),
    plans: entries.file?.plans ?? {},
    budget: entries.file?.budget,
    tools: {
      ...tools,
      // A key that the file gives to a tool server is for that server: models need no second web search.
      webSearch: config.value.webSearch.filter(({ variable }) => !namesInFile.includes(variable)),
    },
    fileContent: read?.content,
    fixed: new Map([...added.fixed, ...entries.fixed]),
    leftOut,
    storedVariables: added.names,
  };
}

/**
 * Returns the settings with those that are stored.
 * @param alone the settings without them, which are not read again if nothing is stored; the error if they are invalid.
 * @throws like `readSettings`
 */
export async function readWithStored(
  environment: Environment,
  alone: PromiseSettledResult<Settings>,
  stored: StoredValues,
): Promise<Settings> {
  if (stored.values.size + stored.unreadable.length > 0) return readSettings(environment, stored);
  if (alone.status === 'rejected') throw alone.reason;
  return alone.value;
}

async function readProvidersFile(
  environment: Environment['values'],
  onUsed: (name: string) => void,
): Promise<{ readonly file: ProvidersFile; readonly content: unknown } | undefined> {
  const path = environment['PROVIDERS_FILE']?.trim();
  if (!path) return undefined;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new SettingsError([`PROVIDERS_FILE can't be read: ${error.message}`]);
  });
  const content = parseYaml(text);
  const file = readProvidersContent(content, (name) => {
    onUsed(name);
    return environment[name];
  });
  return { file, content };
}
