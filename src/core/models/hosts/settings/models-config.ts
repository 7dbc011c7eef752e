import type { AnthropicConfig } from '../anthropic/anthropic-config.ts';
import type { BedrockConfig } from '../bedrock/bedrock-config.ts';
import type { OpenAiCompatibleConfig } from '../openai-compatible/openai-compatible-config.ts';
import type { StableDiffusionWebUiConfig } from '../stable-diffusion-webui/stable-diffusion-webui-config.ts';

/** Configuration of a provider that the operator has set up. */
export type ConfiguredProvider = (
  | OpenAiCompatibleConfig
  | AnthropicConfig
  | BedrockConfig
  | StableDiffusionWebUiConfig
) & {
  /**
   * Price list for models without a price in the settings or in the host's list: name of a preset, or `free`. Default:
   * none.
   */
  readonly priceList?: string | undefined;
  /** Fields of requests that cost nothing at this provider, beside those that are known to. Default none. */
  readonly freeFields?: readonly string[] | undefined;
};

/** Configuration of the demonstration, whose models need no host. */
export interface DemoConfig {
  readonly kind: 'demo';
  /** Default `demo`. */
  readonly name?: string | undefined;
  /** Speed of streams; 0 means no delays. Default 40. `demo-slow` has a fifth of it. */
  readonly wordsPerSecond?: number | undefined;
  /** Minimum duration of an image request; 0 means no delay. Default 2000. */
  readonly imageMs?: number | undefined;
}

/** Configuration of a provider. */
export type ProviderConfig = ConfiguredProvider | DemoConfig;

/**
 * Returns whether a provider may have chat models, judged by its settings. Without any, users would have no model to
 * chat with.
 */
export function mayChat(provider: ProviderConfig): boolean {
  if (provider.kind === 'stable-diffusion-webui') return false;
  if (provider.kind === 'bedrock' && provider.isGuessed) return false;
  if (provider.kind === 'demo' || provider.acceptsAnyModel || !provider.models) return true;
  return provider.models.some(({ type }) => type === 'chat');
}

/** Configuration of the available models. */
export interface ModelsConfig {
  /** In the order of preference. */
  readonly providers: readonly ProviderConfig[];
  /** Public names that the operator has defined, each for models in the order of preference. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** Chat model of users who have not chosen one. Unset: the first model of the first provider. */
  readonly defaultModel?: string | undefined;
  /** Image model of users who have not chosen one. Unset: the first image model. */
  readonly defaultImageModel?: string | undefined;
  /** Embedding model by which libraries are searched by meaning. Unset: they are not. */
  readonly libraryEmbeddingModel?: string | undefined;
  /** Base address at which a running Ollama is looked for (`http://127.0.0.1:11434/v1`); undefined: nowhere. */
  readonly ollamaBaseUrl?: string | undefined;
}
