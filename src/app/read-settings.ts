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
  parseProvidersFile,
  presetKeyVariables,
  toModelsConfig,
} from '../core/models/index.ts';
import { DEFAULT_TOOLS_CONFIG, type ToolsConfig } from '../core/tools/index.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';

/** All settings of the process. */
export interface Settings {
  readonly config: Config;
  readonly models: ModelsConfig;
  readonly plans: Plans;
  readonly budget: InstanceBudget | undefined;
  readonly tools: ToolsConfig;
  /** Sentences about settings that are valid but probably a mistake. */
  readonly warnings: readonly string[];
  /** The raw variables. */
  readonly environment: Environment['values'];
}

/** Rules for users that can be reloaded while the process runs. */
export interface Rules extends Pick<Config, 'adminIds' | 'allowedIds'> {
  /** Whether names and usernames of users are stored. Default false. */
  readonly storesNames?: boolean | undefined;
  readonly plans: Plans;
  /** Budget of the whole instance. */
  readonly budget?: InstanceBudget | undefined;
}

/**
 * Reads all settings. @throws SettingsError with all problems of the environment, its names, and the providers
 * file.
 */
export async function readSettings(variables: Environment): Promise<Settings> {
  const { values: environment } = variables;
  const namesInFile: string[] = [];
  const [config, providersFile] = await Promise.allSettled([
    Promise.try(() => createConfig(environment, presetKeyVariables)),
    readProvidersFile(environment, (name) => namesInFile.push(name)),
  ]);
  const reasons = [config, providersFile].flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
  const foreign = reasons.find((reason) => !(reason instanceof SettingsError));
  if (foreign) throw foreign;
  const problems = reasons.flatMap((reason: SettingsError) => reason.problems);
  const unknown = findUnknownSettings(variables, [...settingNames, ...presetKeyVariables, ...namesInFile]);
  // The variables used by an invalid providers file are not known.
  if (providersFile.status === 'fulfilled') problems.push(...unknown.problems);
  if (config.status === 'rejected' || providersFile.status === 'rejected' || problems.length > 0)
    throw new SettingsError(problems);
  return {
    environment,
    warnings: [...unknown.warnings, ...findRisks(config.value)],
    config: config.value,
    models: toModelsConfig({ ...config.value.models, providersFile: providersFile.value }),
    plans: providersFile.value?.plans ?? {},
    budget: providersFile.value?.budget,
    tools: {
      ...(providersFile.value?.tools ?? DEFAULT_TOOLS_CONFIG),
      // A key that the file gives to a tool server is for that server: models need no second web search.
      webSearch: config.value.webSearch.filter(({ variable }) => !namesInFile.includes(variable)),
    },
  };
}

async function readProvidersFile(
  environment: Environment['values'],
  onUsed: (name: string) => void,
): Promise<ProvidersFile | undefined> {
  const path = environment['PROVIDERS_FILE']?.trim();
  if (!path) return undefined;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new SettingsError([`PROVIDERS_FILE can't be read: ${error.message}`]);
  });
  return parseProvidersFile(text, (name) => {
    onUsed(name);
    return environment[name];
  });
}
