import type { DemoConfig } from './providers/demo/demo-provider.ts';
import type { OpenAiCompatibleConfig } from './providers/openai-compatible/openai-compatible-config.ts';
import type { StableDiffusionWebUiConfig } from './providers/stable-diffusion-webui/stable-diffusion-webui-config.ts';
import type { SwitchboardConfig } from './providers/switchboard/switchboard-provider.ts';

/** How a provider that somebody has set up is reached. */
export type ConfiguredProvider = OpenAiCompatibleConfig | SwitchboardConfig | StableDiffusionWebUiConfig;

/** How one provider is reached. */
export type ProviderConfig = ConfiguredProvider | DemoConfig;

/** True where a provider has chat models as far as its settings say: without any, people would have nobody to talk to. */
export function mayChat(provider: ProviderConfig): boolean {
  if (provider.kind === 'stable-diffusion-webui') return false;
  if (provider.kind === 'demo' || provider.acceptsAnyModel || !provider.models) return true;
  return provider.models.some(({ type }) => type === 'chat');
}

/** Which models people can ask for. */
export interface ModelsConfig {
  /** In the order of preference. */
  readonly providers: readonly ProviderConfig[];
  /** Public names of the operator's own, each for models in the order of preference. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** The chat model people get until they choose; unset: the first of the first provider. */
  readonly defaultModel?: string | undefined;
  /** The image model people get until they choose; unset: the first that there is. */
  readonly defaultImageModel?: string | undefined;
  /** Where a running Ollama is looked for (`http://127.0.0.1:11434/v1`); undefined: nowhere. */
  readonly ollamaBaseUrl?: string | undefined;
}
