import { checkLocation } from '../app/check-location.ts';
import type { StoredLook } from '../app/look-at-stored.ts';
import type { Settings } from '../app/read-settings.ts';
import { readVersion } from '../app/read-version.ts';
import { listSettings } from '../app/setting-views.ts';
import { type Config, canStrangersUpload } from '../config/index.ts';
import { createToolbox, type ToolSourceStatus, type ToolsConfig } from '../core/tools/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log/logger.ts';
import { checkBot } from '../telegram/check-bot.ts';
import { checkDatabase, checkDirectory, checkPort } from './check-machine.ts';
import { checkModels } from './check-models.ts';
import { type CheckResult, result, row } from './check-result.ts';
import { describeAccess, describeFiles, describeTools, STRANGERS_UPLOAD } from './start-report.ts';

/** More than the timeouts of a search. */
const SEARCH_MS = 20_000;

interface CheckDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Checks what a start with these settings would run, by calling the database, Telegram and every provider. Starts and
 * changes nothing.
 */
export async function checkConfig(
  settings: Settings,
  stored: Pick<StoredLook, 'byId' | 'obstacle'>,
  deps: CheckDeps,
): Promise<CheckResult> {
  const { config, models, tools, warnings } = settings;
  const parts = await Promise.all([
    readVersion().then((version) => result([row('Version', version)])),
    result(stored.obstacle === undefined ? describeOrigins(listSettings(settings, stored.byId)) : []),
    checkTelegram(config, deps),
    result([row('Access', describeAccess(config))]),
    result(canStrangersUpload(config) ? [row('Uploads', STRANGERS_UPLOAD)] : []),
    checkPort(config.http),
    checkDatabase(config),
    checkModels(models, deps),
    checkTools(tools, deps),
    checkStorage(config, deps),
    checkDirectory('DATA_DIR', config.dataDirectory),
  ]);
  return {
    lines: [...parts.flatMap((part) => part.lines), ...warnings.map((warning) => row('Warning', warning))],
    problems: parts.flatMap((part) => part.problems),
  };
}

const ORIGINS = [
  ['environment', 'environment'],
  ['file', 'providers file'],
  ['stored', 'console'],
] as const;

/** Names the settings that can be set in the console, by where they are set. */
function describeOrigins(settings: ReturnType<typeof listSettings>): readonly string[] {
  const groups = ORIGINS.flatMap(([origin, place]) => {
    const inForce = settings.filter((setting) => setting.origin === origin && setting.problem === undefined);
    const names = inForce.map(({ kind, name }) => (kind === 'variable' ? name : `${kind} ${name}`));
    return names.length === 0 ? [] : [`${place}: ${names.join(', ')}`];
  });
  return groups.map((group, index) => (index === 0 ? row('Settings', group) : `            ${group}`));
}

async function checkTelegram(config: Config, deps: CheckDeps): Promise<CheckResult> {
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

async function checkTools(config: ToolsConfig, deps: CheckDeps): Promise<CheckResult> {
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

async function checkStorage(config: Config, deps: CheckDeps): Promise<CheckResult> {
  const { location } = config.storage;
  const { lines, problems } = await checkLocation(deps, location);
  return result([row('Files', describeFiles(config)), ...lines.map((line) => `            - ${line}`)], problems);
}
