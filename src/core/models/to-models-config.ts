import { withoutTrailingSlashes } from '../../lib/without-trailing-slashes.ts';
import { toOllamaBaseUrl } from './find-ollama.ts';
import { type ConfiguredProvider, type ModelsConfig, mayChat } from './models-config.ts';
import { type SpeechWish, toPresetProvider, toSpeechConfig } from './preset-provider.ts';
import { PROVIDER_PRESETS } from './presets.ts';
import { modelTypeByName } from './providers/openai-compatible/model-kind.ts';
import type { OpenAiCompatibleConfig } from './providers/openai-compatible/openai-compatible-config.ts';
import type { ProvidersFile } from './providers-file.ts';

/** What the environment says of models. */
export interface ModelsSettings {
  /** By the names in `presetKeyVariables`: the keys of each. */
  readonly presetKeys: Readonly<Record<string, readonly string[]>>;
  /** `OPENAI_BASE_URL` (unset: OpenAI itself), `OPENAI_API_KEY`, `OPENAI_MODELS` (empty: asked of the host; `*`: any name). */
  readonly openAi:
    | {
        readonly baseUrl: string | undefined;
        readonly apiKeys: readonly string[];
        readonly models: readonly string[];
        /** `OPENAI_TRANSCRIPTION_MODEL`; unset: that of a preset with the same address. */
        readonly transcriptionModel?: string | undefined;
        /** `OPENAI_SPEECH_…`; what is unset is that of a preset with the same address. */
        readonly speech?: SpeechWish | undefined;
      }
    | undefined;
  /** The parsed providers file. */
  readonly providersFile: Omit<ProvidersFile, 'plans' | 'tools'> | undefined;
  /** `SD_WEBUI_URL`: a Stable Diffusion WebUI; it is the last of the providers, named `sd-webui`. */
  readonly sdWebUiUrl: string | undefined;
  /** `OLLAMA_HOST`. Set: looked for there beside all others. Unset: at its usual place when nobody else chats. */
  readonly ollamaHost: string | undefined;
  /** `DEFAULT_MODEL`; goes before that of the providers file. */
  readonly defaultModel: string | undefined;
  /** `DEFAULT_IMAGE_MODEL`; goes before that of the providers file. */
  readonly defaultImageModel: string | undefined;
}

/** Orders what was configured: the providers file first, then `OPENAI_…`, then presets, then `SD_WEBUI_URL`. The first of a name counts. */
export function toModelsConfig(settings: ModelsSettings): ModelsConfig {
  const providers = new Map<string, ConfiguredProvider>();
  const add = (provider: ConfiguredProvider) => {
    if (!providers.has(provider.name)) providers.set(provider.name, provider);
  };
  for (const provider of settings.providersFile?.providers ?? []) add(provider);
  if (settings.openAi) add(toOpenAiProvider(settings.openAi));
  for (const preset of PROVIDER_PRESETS) {
    const keys = settings.presetKeys[preset.keyVariable];
    if (keys && keys.length > 0) add(toPresetProvider(preset, keys));
  }
  if (settings.sdWebUiUrl !== undefined)
    add({ kind: 'stable-diffusion-webui', name: 'sd-webui', baseUrl: settings.sdWebUiUrl, apiKeys: [] });
  const looksForOllama = ![...providers.values()].some(mayChat) || settings.ollamaHost !== undefined;
  return {
    providers: [...providers.values()],
    aliases: settings.providersFile?.aliases ?? {},
    defaultModel: settings.defaultModel ?? settings.providersFile?.defaultModel,
    defaultImageModel: settings.defaultImageModel ?? settings.providersFile?.defaultImageModel,
    ollamaBaseUrl: looksForOllama ? toOllamaBaseUrl(settings.ollamaHost) : undefined,
  };
}

/** Named after the preset with the same address, else `custom`. */
function toOpenAiProvider({
  baseUrl,
  apiKeys,
  models,
  transcriptionModel,
  speech,
}: NonNullable<ModelsSettings['openAi']>): OpenAiCompatibleConfig {
  const address = withoutTrailingSlashes(baseUrl ?? 'https://api.openai.com/v1');
  const preset = PROVIDER_PRESETS.find((candidate) => candidate.baseUrl === address);
  const names = models.filter((model) => model !== '*');
  return {
    ...(preset ? toPresetProvider(preset, apiKeys) : { kind: 'openai-compatible', name: 'custom', apiKeys }),
    baseUrl: address,
    acceptsAnyModel: models.includes('*'),
    ...(transcriptionModel === undefined ? {} : { transcriptionModel }),
    speech: toSpeechConfig(preset, speech),
    ...(names.length > 0 ? { models: names.map((id) => ({ id, type: modelTypeByName(id) })) } : {}),
  };
}
