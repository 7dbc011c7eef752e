import { createDemoProvider } from '../../demo/demo-provider.ts';
import { findUnknownDefaults } from '../cli/find-unknown-defaults.ts';
import { type Catalogue, createMemoryDiscoveryCache, createModels, type ModelsConfig } from '../core/models/index.ts';
import { type SettingId, SettingsTestError, splitSettingId } from '../core/stored-settings/index.ts';
import { createToolbox } from '../core/tools/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type Logger, redactSecrets } from '../lib/log/logger.ts';
import { checkBot } from '../telegram/check-bot.ts';
import { checkLocation } from './check-location.ts';
import { findUnpricedModels, type PricedCatalogue } from './find-unpriced-models.ts';
import { listSecrets } from './list-secrets.ts';
import type { Settings } from './read-settings.ts';

interface TestDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Models in use. */
  readonly catalogue: Pick<Catalogue, 'find'> & PricedCatalogue;
}

/** A fact that a test has found, or a problem. */
type Finding = { readonly fact: string } | { readonly problem: string };

const PROVIDER_MS = 15_000;
const SEARCH_MS = 15_000;
const MAX_NAMED_MODELS = 5;

/**
 * Tries what changed settings name: Telegram is asked about tokens and channels, providers and tool servers for their
 * lists. Changes nothing.
 * @returns what was found, such as `groq: 12 models`.
 * @throws SettingsTestError with all problems.
 */
export async function testChanges(
  deps: TestDeps,
  candidate: Settings,
  ids: readonly SettingId[],
): Promise<readonly string[]> {
  // Failed tests of an admin are no events of the service.
  const silent = { ...deps, logger: deps.logger.child({}, { level: 'silent' }) };
  const findings = (await Promise.all(ids.map((id) => testSetting(silent, candidate, id)))).flat();
  const secrets = listSecrets(candidate);
  const problems = findings.flatMap((finding) =>
    'problem' in finding ? [redactSecrets(finding.problem, secrets)] : [],
  );
  if (problems.length > 0) throw new SettingsTestError(problems);
  return findings.flatMap((finding) => ('fact' in finding ? [finding.fact] : []));
}

async function testSetting(deps: TestDeps, candidate: Settings, id: SettingId): Promise<readonly Finding[]> {
  const { kind, name } = splitSettingId(id);
  if (kind === 'provider') return testProvider(deps, candidate, name);
  if (kind === 'tool') return testTool(deps, candidate, name);
  if (kind === 'budget' || kind === 'plan') return testBudget(deps, candidate, id);
  if (kind !== 'variable') return [];
  switch (name) {
    case 'BOT_TOKEN':
      return testToken(deps, candidate);
    case 'STORAGE_CHAT_IDS':
      return testChannels(deps, candidate);
    case 'DEFAULT_MODEL':
    case 'DEFAULT_IMAGE_MODEL': {
      const { defaultModel, defaultImageModel } = candidate.config.models;
      const wanted = name === 'DEFAULT_MODEL' ? { defaultModel } : { defaultImageModel };
      const given = { defaultModel: undefined, defaultImageModel: undefined, ...wanted };
      return findUnknownDefaults(given, deps.catalogue).map((problem) => ({ problem }));
    }
    case 'BRAVE_API_KEY':
    case 'TAVILY_API_KEY':
    case 'SEARXNG_URL':
      return testSearch(deps, candidate, name);
    default:
      return [];
  }
}

/** A budget under which no model can be used stops the bot, so it is a problem. */
function testBudget({ catalogue }: TestDeps, candidate: Settings, id: SettingId): readonly Finding[] {
  const { refused, isEvery } = findUnpricedModels(candidate, splitSettingId(id), catalogue);
  if (refused.length === 0) return [];
  const others = refused.length > MAX_NAMED_MODELS ? ` and ${refused.length - MAX_NAMED_MODELS} more` : '';
  const names = refused.slice(0, MAX_NAMED_MODELS).join(', ') + others;
  const fact = `With a budget in dollars, these models can't be used, because their prices are not known: ${names}. Enter prices at the provider, or allow models without a known price`;
  return [isEvery ? { problem: fact } : { fact: `${fact}.` }];
}

async function testToken(deps: TestDeps, { config: { telegram } }: Settings): Promise<readonly Finding[]> {
  if (telegram.mode === 'playground') return [];
  const check = await checkBot(deps, telegram);
  if (check.kind === 'works') return [{ fact: `@${check.username}` }];
  return [
    check.kind === 'refused'
      ? { problem: 'Telegram does not accept this token: it is mistyped, or was revoked in @BotFather' }
      : { problem: `Telegram can't be reached: ${check.reason}` },
  ];
}

async function testChannels(deps: TestDeps, { config: { storage } }: Settings): Promise<readonly Finding[]> {
  const channels = [storage.location, ...storage.formerLocations].find(({ kind }) => kind === 'telegram');
  if (!channels) return [];
  const { lines, problems } = await checkLocation(deps, channels);
  return [...lines.map((fact) => ({ fact })), ...problems.map((problem) => ({ problem }))];
}

async function testProvider(deps: TestDeps, { models: config }: Settings, name: string): Promise<readonly Finding[]> {
  const provider = config.providers.find((each) => each.name === name);
  if (!provider) return [];
  const [status, host] = await Promise.all([
    readStatus(deps, provider),
    // A host whose models are given is not asked for its list, so that nothing says whether it answers.
    'models' in provider && provider.models ? readStatus(deps, { ...provider, models: undefined }) : undefined,
  ]);
  const count = status?.modelCount ?? 0;
  if (count === 0) return [{ problem: `${name}: ${status?.lastError ?? NO_ANSWER}` }];
  const failure = host?.modelCount === 0 ? (host.lastError ?? NO_ANSWER) : undefined;
  if (failure === NO_ANSWER || failure?.startsWith('could not be reached')) return [{ problem: `${name}: ${failure}` }];
  const models = `${name}: ${count === 1 ? '1 model' : `${count} models`}`;
  return [{ fact: failure === undefined ? models : `${models}; the host does not list its models (${failure})` }];
}

const NO_ANSWER = 'it did not answer in time';

/** Asks one provider for its models. */
async function readStatus(deps: TestDeps, provider: ModelsConfig['providers'][number]) {
  const models = createModels(
    { ...deps, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    { providers: [provider], aliases: {} },
  );
  try {
    await models.start(AbortSignal.timeout(PROVIDER_MS));
    return models.providers().find((each) => each.name === provider.name);
  } finally {
    await models.close();
  }
}

async function testTool(deps: TestDeps, { tools }: Settings, name: string): Promise<readonly Finding[]> {
  const source = tools.sources.find((each) => each.name === name);
  if (!source) return [];
  const toolbox = createToolbox(deps, { ...tools, builtIn: [], webSearch: [], sources: [source] });
  try {
    await toolbox.start();
    const [status] = toolbox.sources();
    if (status?.lastError !== undefined) return [{ problem: `${name}: ${status.lastError}` }];
    const names = status?.toolNames ?? [];
    return [
      names.length > 0 ? { fact: `${name}: ${names.join(', ')}` } : { problem: `${name}: it did not answer in time` },
    ];
  } finally {
    await toolbox.close();
  }
}

async function testSearch(deps: TestDeps, { tools }: Settings, variable: string): Promise<readonly Finding[]> {
  const webSearch = (tools.webSearch ?? []).filter((service) => 'variable' in service && service.variable === variable);
  if (webSearch.length === 0) return [];
  const toolbox = createToolbox(deps, { ...tools, sources: [], webSearch });
  try {
    const searches = await toolbox.checkWebSearch(AbortSignal.timeout(SEARCH_MS));
    return searches.map(({ name, problem }) =>
      problem === undefined ? { fact: `${name} answers` } : { problem: `${name}: ${problem}` },
    );
  } finally {
    await toolbox.close();
  }
}
