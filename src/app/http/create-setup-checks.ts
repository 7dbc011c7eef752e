import { createDemoProvider } from '../../../demo/demo-provider.ts';
import { type Config, isPublic } from '../../config/index.ts';
import {
  createMemoryDiscoveryCache,
  createModels,
  type ModelsConfig,
  presetKeyVariables,
  toModelsConfig,
} from '../../core/models/index.ts';
import type { SetupChecks } from '../../http/setup/setup-checks.ts';
import { checkBot } from '../../telegram/check-bot.ts';
import { listWriters } from '../../telegram/list-writers.ts';
import { checkChannel } from '../../telegram/storage/check-channel.ts';
import { createStorageBot } from '../../telegram/storage/storage-bot.ts';
import type { Resources } from '../open-resources.ts';

/** Timeout of each call of a channel check. */
const CHANNEL_CALL_MS = 8000;
const PROVIDER_MS = 15_000;

/** Creates the checks of the start page, which ask Telegram and providers like `npm start -- --check`. */
export function createSetupChecks(
  { clock, logger, universalKey }: Pick<Resources, 'clock' | 'logger' | 'universalKey'>,
  {
    apiRoot,
    publicUrl,
    cloudUrl,
  }: { readonly apiRoot: string | undefined } & Pick<Config['http'], 'publicUrl' | 'cloudUrl'>,
): SetupChecks {
  // Failed checks of an operator who tries a token are no events of the service.
  const deps = { clock, logger: logger.child({}, { level: 'silent' }) };
  return {
    universalKey,
    publicUrl,
    isPublic: isPublic({ publicUrl, cloudUrl }),
    checkBot: (token) => checkBot(deps, { token, apiRoot }),
    listWriters: (token) => listWriters(deps, { token, apiRoot }),
    async checkChannel(token, chatId) {
      const bot = createStorageBot(deps, { token, apiRoot, timeoutMs: CHANNEL_CALL_MS });
      try {
        return await checkChannel(bot, chatId);
      } finally {
        bot.close();
      }
    },
    async checkProvider(variable, key) {
      const models = createModels(
        { ...deps, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
        toConfig(variable, key),
      );
      try {
        await models.start(AbortSignal.timeout(PROVIDER_MS));
        const [status] = models.providers();
        const modelCount = status?.modelCount ?? 0;
        const problem = modelCount > 0 ? undefined : (status?.lastError ?? 'it did not answer in time');
        return { modelCount, problem };
      } finally {
        await models.close();
      }
    },
  };
}

/** Returns the configuration of one preset with this key. */
function toConfig(variable: string, key: string): ModelsConfig {
  const isPreset = presetKeyVariables.includes(variable);
  return {
    ...toModelsConfig({
      presetKeys: isPreset ? { [variable]: [key] } : {},
      presetAddresses: {},
      openAi: isPreset ? undefined : { baseUrl: undefined, apiKeys: [key], models: [] },
      bedrock: undefined,
      providersFile: undefined,
      sdWebUiUrl: undefined,
      ollamaHost: undefined,
      defaultModel: undefined,
      defaultImageModel: undefined,
    }),
    ollamaBaseUrl: undefined,
  };
}
