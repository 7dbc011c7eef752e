import { createDemoProvider } from '../../demo/demo-provider.ts';
import {
  type Catalogue,
  createMemoryDiscoveryCache,
  createModels,
  type Models,
  type ModelsConfig,
  type ProviderStatus,
} from '../core/models/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log/logger.ts';
import { type CheckResult, result, row } from './check-result.ts';
import { findUnknownDefaults } from './find-unknown-defaults.ts';
import { describeModels } from './start-report.ts';

const MAX_NAMES = 5;

interface CheckModelsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Asks every provider for its models. */
export async function checkModels(config: ModelsConfig, deps: CheckModelsDeps): Promise<CheckResult> {
  return withModels(config, deps, async ({ catalogue, providers: list }) => {
    const providers = list();
    const facts = {
      providers,
      modelCount: catalogue.list().length,
      defaultModel: catalogue.defaultChatModel()?.id,
      defaultImageModel: catalogue.defaultImageModel()?.id,
    };
    const failed = providers.filter(({ lastError, modelCount }) => lastError !== undefined && modelCount === 0);
    return result(
      [
        row('Models', describeModels(facts)),
        ...providers.map((provider) => `            - ${describeProvider(provider)}`),
        ...describeUnpriced(findUnpricedModels(catalogue)),
      ],
      [
        ...(await Promise.all(failed.map((provider) => describeFailure(provider, config, deps)))),
        ...findUnknownDefaults(config, catalogue),
      ],
    );
  });
}

async function describeFailure(
  { name, lastError }: ProviderStatus,
  { providers }: ModelsConfig,
  deps: CheckModelsDeps,
): Promise<string> {
  const problem = `Provider ${name}: ${lastError}`;
  const provider = providers.find((each) => each.name === name);
  const complete = provider && completeAddress(provider);
  if (!complete) return problem;
  const [status] = await withModels({ providers: [complete], aliases: {} }, deps, async (models) => models.providers());
  return status?.modelCount ? `${problem}. The address lacks /v1: ${complete.baseUrl} answers` : problem;
}

/** Adds the `/v1` with which most addresses of OpenAI's protocol end. */
function completeAddress(provider: ModelsConfig['providers'][number]) {
  if (provider.kind !== 'openai-compatible' || /\/v\d/.test(provider.baseUrl)) return undefined;
  return { ...provider, baseUrl: `${provider.baseUrl}/v1` };
}

async function withModels<Result>(
  config: ModelsConfig,
  deps: CheckModelsDeps,
  action: (models: Models) => Promise<Result>,
): Promise<Result> {
  const models = createModels(
    { ...deps, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    config,
  );
  try {
    await models.start(new AbortController().signal);
    return await action(models);
  } finally {
    await models.close();
  }
}

function describeUnpriced(providers: readonly string[]): readonly string[] {
  if (providers.length === 0) return [];
  const consequence = 'some have no price: their cost is unknown, and budgets refuse them unless the plan allows it';
  return [row('Prices', consequence), ...providers.map((provider) => `            - ${provider}`)];
}

function describeProvider(provider: ProviderStatus): string {
  return `${provider.name}: ${provider.lastError ?? (provider.modelCount === 1 ? '1 model' : `${provider.modelCount} models`)}`;
}

/** Returns one line for each provider with models whose price is unknown: `groq: 2 models (a, b)`. */
export function findUnpricedModels(catalogue: Pick<Catalogue, 'list' | 'findPrice'>): readonly string[] {
  const targets = catalogue.list().flatMap((entry) => entry.targets);
  const unpriced = targets.filter((target) => catalogue.findPrice(target) === undefined);
  return [...Map.groupBy(unpriced, ({ provider }) => provider)].map(([provider, ofProvider]) => {
    // An alias has the targets of its models.
    const names = [...new Set(ofProvider.map(({ model }) => model))];
    const further = names.length > MAX_NAMES ? ', …' : '';
    const count = names.length === 1 ? '1 model' : `${names.length} models`;
    return `${provider}: ${count} (${names.slice(0, MAX_NAMES).join(', ')}${further})`;
  });
}
