import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { modelTypeByName } from '../../catalogue/model-kind.ts';
import type { BedrockConfig } from '../bedrock/bedrock-config.ts';
import { toOllamaBaseUrl } from '../find-ollama.ts';
import { type ConfiguredProvider, type ModelsConfig, mayChat } from './models-config.ts';
import { type SpeechOptions, toPresetProvider, toSpeechConfig } from './preset-provider.ts';
import { findPresetBaseUrl, PROVIDER_PRESETS } from './presets.ts';
import type { ProvidersFile } from './providers-file.ts';

/** Settings of models in the environment. */
export interface ModelsSettings {
  /** Keys of each variable in `presetKeyVariables`. */
  readonly presetKeys: Readonly<Record<string, readonly string[]>>;
  /** Values of the address variables of presets. A preset without its address is not used. */
  readonly presetAddresses: Readonly<Record<string, string | undefined>>;
  /**
   * `OPENAI_BASE_URL` (unset: OpenAI itself), `OPENAI_API_KEY`, `OPENAI_MODELS` (empty: the host's list; `*`: any
   * name).
   */
  readonly openAi:
    | {
        readonly baseUrl: string | undefined;
        readonly apiKeys: readonly string[];
        readonly models: readonly string[];
        /** `OPENAI_TRANSCRIPTION_MODEL`. Unset: that of the preset with the same address. */
        readonly transcriptionModel?: string | undefined;
        /** `OPENAI_SPEECH_…`. Unset fields: those of the preset with the same address. */
        readonly speech?: SpeechOptions | undefined;
      }
    | undefined;
  /** `AWS_…`: region and access of Amazon Bedrock. It becomes the provider `bedrock`. */
  readonly bedrock: Pick<BedrockConfig, 'region' | 'apiKeys' | 'credentials'> | undefined;
  /** The parsed providers file. */
  readonly providersFile: Omit<ProvidersFile, 'plans' | 'tools'> | undefined;
  /** Providers that admins have added. They come last, because the environment and the file take precedence. */
  readonly storedProviders?: readonly ConfiguredProvider[] | undefined;
  /** `SD_WEBUI_URL`: a Stable Diffusion WebUI. It becomes the last provider, named `sd-webui`. */
  readonly sdWebUiUrl: string | undefined;
  /**
   * `OLLAMA_HOST`. Set: Ollama is looked for there, in addition to all other providers. Unset: it is looked for at its
   * default address if no other provider has chat models.
   */
  readonly ollamaHost: string | undefined;
  /** `DEFAULT_MODEL`; takes precedence over the providers file. */
  readonly defaultModel: string | undefined;
  /** `DEFAULT_IMAGE_MODEL`; takes precedence over the providers file. */
  readonly defaultImageModel: string | undefined;
}

/**
 * Combines the settings in this order: the providers file, `OPENAI_…`, presets, `AWS_…`, `SD_WEBUI_URL`, the providers
 * that admins have added. Of several with one name, the first is used.
 */
export function toModelsConfig(settings: ModelsSettings): ModelsConfig {
  const providers = new Map<string, ConfiguredProvider>();
  const add = (provider: ConfiguredProvider) => {
    if (!providers.has(provider.name)) providers.set(provider.name, provider);
  };
  for (const provider of settings.providersFile?.providers ?? []) add(provider);
  if (settings.openAi) add(toOpenAiProvider(settings.openAi));
  for (const preset of PROVIDER_PRESETS) {
    const keys = preset.keyVariables.map((name) => settings.presetKeys[name] ?? []).find(({ length }) => length > 0);
    const baseUrl = findPresetBaseUrl(preset, (name) => settings.presetAddresses[name]);
    if (keys && baseUrl !== undefined) add(toPresetProvider(preset, keys, baseUrl));
  }
  if (settings.bedrock) {
    const isGuessed = settings.bedrock.apiKeys.length === 0;
    add({ kind: 'bedrock', name: 'bedrock', isGuessed, ...settings.bedrock });
  }
  if (settings.sdWebUiUrl !== undefined)
    add({ kind: 'stable-diffusion-webui', name: 'sd-webui', baseUrl: settings.sdWebUiUrl, apiKeys: [] });
  for (const provider of settings.storedProviders ?? []) add(provider);
  const looksForOllama = ![...providers.values()].some(mayChat) || settings.ollamaHost !== undefined;
  return {
    providers: [...providers.values()],
    aliases: settings.providersFile?.aliases ?? {},
    defaultModel: settings.defaultModel ?? settings.providersFile?.defaultModel,
    defaultImageModel: settings.defaultImageModel ?? settings.providersFile?.defaultImageModel,
    libraryEmbeddingModel: settings.providersFile?.libraryEmbeddingModel,
    ollamaBaseUrl: looksForOllama ? toOllamaBaseUrl(settings.ollamaHost) : undefined,
  };
}

/** Names the provider after the preset with the same address, else `custom`. */
function toOpenAiProvider({
  baseUrl,
  apiKeys,
  models,
  transcriptionModel,
  speech,
}: NonNullable<ModelsSettings['openAi']>): ConfiguredProvider {
  const address = withoutTrailingSlashes(baseUrl ?? 'https://api.openai.com/v1');
  const preset = PROVIDER_PRESETS.find((candidate) => candidate.baseUrl === address);
  const names = models.filter((model) => model !== '*');
  const listed = {
    acceptsAnyModel: models.includes('*'),
    ...(names.length > 0 ? { models: names.map((id) => ({ id, type: modelTypeByName(id) })) } : {}),
  };
  const host = preset && toPresetProvider(preset, apiKeys);
  if (host?.kind === 'anthropic') return { ...host, ...listed };
  return {
    ...(host ?? { kind: 'openai-compatible', name: 'custom', apiKeys }),
    baseUrl: address,
    ...listed,
    ...(transcriptionModel === undefined ? {} : { transcriptionModel }),
    speech: toSpeechConfig(preset, speech),
  };
}
