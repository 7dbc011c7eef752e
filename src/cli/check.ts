import { existsSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, findRisks } from '../config/index.ts';
import {
  createMemoryDiscoveryCache,
  createModels,
  type ModelsConfig,
  type ProviderStatus,
} from '../core/models/index.ts';
import { createToolbox, type ToolSourceStatus, type ToolsConfig } from '../core/tools/index.ts';
import { pingServer } from '../database/connect.ts';
import type { Clock } from '../lib/clock.ts';
import { describeError } from '../lib/describe-error.ts';
import { DirectoryInUseError, lockDirectory } from '../lib/directory-lock.ts';
import type { Logger } from '../lib/logger.ts';
import { checkBot } from '../telegram/check-bot.ts';
import { checkChannels } from '../telegram/storage/check-channels.ts';
import { findUnknownDefaults } from './find-unknown-defaults.ts';
import { findUnpricedModels } from './find-unpriced-models.ts';
import { describeDatabase, describeFiles, describeModels, describeTools } from './start-report.ts';

/** More than the timeouts of a search. */
const SEARCH_MS = 20_000;

export interface CheckResult {
  /** Components that would run, one line each. */
  readonly lines: readonly string[];
  /** Problems that prevent or impair a start. */
  readonly problems: readonly string[];
}

/**
 * Checks what a start with these settings would run, by calling the database, Telegram and every provider. Starts and
 * changes nothing.
 */
export async function checkConfig(
  config: Config,
  { models, tools }: { readonly models: ModelsConfig; readonly tools: ToolsConfig },
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<CheckResult> {
  const parts = await Promise.all([
    checkTelegram(config, deps),
    checkDatabase(config),
    checkModels(models, deps),
    checkTools(tools, deps),
    checkStorage(config, deps),
  ]);
  const risks = findRisks(config).map((risk) => row('Warning', risk));
  return {
    lines: [...parts.flatMap((part) => part.lines), ...risks],
    problems: parts.flatMap((part) => part.problems),
  };
}

async function checkTelegram(
  config: Config,
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<CheckResult> {
  const address = `${config.http.host}:${config.http.port}`;
  if (config.telegram.mode === 'playground')
    return result([
      row('Mode', `playground: a simulated Telegram at http://${address}/playground (BOT_TOKEN is not set)`),
    ]);
  const check = await checkBot(deps, config.telegram);
  if (check.kind !== 'works') {
    const reason =
      check.kind === 'refused'
        ? 'Telegram does not accept BOT_TOKEN: it is mistyped, or was revoked in @BotFather'
        : `Telegram can't be reached: ${check.reason}`;
    return result([row('Mode', 'Telegram bot')], [reason]);
  }
  const { webhook } = config.telegram;
  const way = webhook ? `webhook at ${webhook.url}` : 'long polling';
  return result([row('Mode', `Telegram bot @${check.username}, ${way}; HTTP at ${address}`)]);
}

async function checkDatabase(config: Config): Promise<CheckResult> {
  const line = row('Database', describeDatabase(config));
  try {
    if (config.database.kind === 'postgres') await pingServer(config.database.url);
    else await checkDirectory(config.database.directory);
    return result([line]);
  } catch (error) {
    if (error instanceof DirectoryInUseError)
      return result([line, '            - warning: another process is using it. Is Switchboard already running?']);
    return result([line], [`The database can't be used: ${describeError(error)}`]);
  }
}

/** Checks that an existing directory can be used now, and that a missing one can be created. */
async function checkDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) {
    await access(directory, constants.W_OK);
    const unlock = await lockDirectory(directory);
    return unlock();
  }
  await checkWritable(directory);
}

/** @throws if the directory, or its nearest existing parent, is not writable. */
async function checkWritable(directory: string): Promise<void> {
  let present = directory;
  while (!existsSync(present)) present = dirname(present);
  await access(present, constants.W_OK);
  if (!(await stat(present)).isDirectory()) throw new Error(`${present} is not a directory`);
}

async function checkModels(
  config: ModelsConfig,
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<CheckResult> {
  const models = createModels({ ...deps, discoveryCache: createMemoryDiscoveryCache() }, config);
  try {
    await models.start(new AbortController().signal);
    const { catalogue } = models;
    const providers = models.providers();
    const facts = {
      providers,
      modelCount: catalogue.list().length,
      defaultModel: catalogue.defaultChatModel()?.id,
      defaultImageModel: catalogue.defaultImageModel()?.id,
    };
    return result(
      [
        row('Models', describeModels(facts)),
        ...providers.map((provider) => `            - ${describeProvider(provider)}`),
        ...describeUnpriced(findUnpricedModels(catalogue)),
      ],
      [
        ...providers
          .filter((provider) => provider.lastError !== undefined && provider.modelCount === 0)
          .map((provider) => `Provider ${provider.name}: ${provider.lastError}`),
        ...findUnknownDefaults(config, catalogue),
      ],
    );
  } finally {
    await models.close();
  }
}

async function checkTools(
  config: ToolsConfig,
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<CheckResult> {
  const toolbox = createToolbox(deps, config);
  try {
    await toolbox.start();
    const sources = toolbox.sources();
    const searches = await toolbox.checkWebSearch(AbortSignal.timeout(SEARCH_MS));
    const facts = { toolNames: toolbox.listNames(), toolSources: sources };
    return result(
      [
        row('Tools', describeTools(facts)),
        ...sources.map((source) => `            - ${describeToolSource(source)}`),
        ...searches.map(({ name, problem }) => `            - web search by ${name}: ${problem ?? 'it answers'}`),
      ],
      [
        ...sources.flatMap(({ name, lastError, toolNames }) => {
          if (lastError !== undefined) return `Tools of ${name}: ${lastError}`;
          return toolNames.length === 0 ? `Tools of ${name}: there are none, or it did not respond in time` : [];
        }),
        ...searches.flatMap(({ name, problem }) => (problem === undefined ? [] : `Web search by ${name}: ${problem}`)),
      ],
    );
  } finally {
    await toolbox.close();
  }
}

function describeToolSource({ name, lastError, toolNames }: ToolSourceStatus): string {
  return `${name}: ${lastError ?? (toolNames.length === 0 ? 'none' : toolNames.join(', '))}`;
}

async function checkStorage(
  config: Config,
  deps: { readonly clock: Clock; readonly logger: Logger },
): Promise<CheckResult> {
  const { location } = config.storage;
  const line = row('Files', describeFiles(config));
  if (location.kind === 'disk') {
    const problem = await checkWritable(location.directory).then(
      () => undefined,
      (error: unknown) => `Files can't be stored in ${location.directory}: ${describeError(error)}`,
    );
    return result([line], problem === undefined ? [] : [problem]);
  }
  const { lines, problems } = await checkChannels(deps, location);
  return result([line, ...lines.map((channel) => `            - ${channel}`)], problems);
}

function describeUnpriced(providers: readonly string[]): readonly string[] {
  if (providers.length === 0) return [];
  const consequence = 'some have no price: their cost is unknown, and budgets refuse them unless the plan allows it';
  return [row('Prices', consequence), ...providers.map((provider) => `            - ${provider}`)];
}

function describeProvider(provider: ProviderStatus): string {
  return `${provider.name}: ${provider.lastError ?? (provider.modelCount === 1 ? '1 model' : `${provider.modelCount} models`)}`;
}

function row(name: string, value: string): string {
  return `${name.padEnd(12)}${value}`;
}

function result(lines: readonly string[], problems: readonly string[] = []): CheckResult {
  return { lines, problems };
}
