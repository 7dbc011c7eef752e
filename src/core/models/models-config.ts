import type { DemoConfig } from './providers/demo/demo-provider.ts';
import type { OpenAiCompatibleConfig } from './providers/openai-compatible/openai-compatible-config.ts';

/** How one provider is reached. */
export type ProviderConfig = OpenAiCompatibleConfig | DemoConfig;

/** Which models people can ask for. */
export interface ModelsConfig {
  /** In the order of preference. */
  readonly providers: readonly ProviderConfig[];
  /** Public names of the operator's own, each for models in the order of preference. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** The chat model people get until they choose; unset: the first of the first provider. */
  readonly defaultModel?: string | undefined;
  /** Where a running Ollama is looked for (`http://127.0.0.1:11434/v1`); undefined: nowhere. */
  readonly ollamaBaseUrl?: string | undefined;
}
