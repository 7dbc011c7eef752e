import { createHttpAgent } from '../../../../lib/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import type { ChatModel } from '../../chat-model.ts';
import type { ImageModel } from '../../image-model.ts';
import type { Provider, ProviderModel } from '../../provider.ts';
import { createEndpoint } from '../openai-compatible/endpoint.ts';
import {
  DEFAULT_PROVIDER_TIMEOUTS,
  type OpenAiCompatibleConfig,
  type ProviderTimeouts,
} from '../openai-compatible/openai-compatible-config.ts';
import {
  createOpenAiCompatibleProvider,
  type OpenAiCompatibleDeps,
} from '../openai-compatible/openai-compatible-provider.ts';
import { createImagen } from './imagen.ts';

/** Another service with this interface: chat at `<baseUrl>/ai/openai`, pictures at `<baseUrl>/ai/imagen`. */
export interface SwitchboardConfig {
  readonly kind: 'switchboard';
  /** Unique, lowercase; qualifies model names. */
  readonly name: string;
  /** The address of the service: `https://other.example`. */
  readonly baseUrl: string;
  /** Tried in order; one that is refused or used up is rested. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What it serves, where the settings say it; undefined asks. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Lets any model name through. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first tries among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}

/** A provider for another service with this interface. It chats as any OpenAI-compatible host does. */
export function createSwitchboardProvider(
  deps: OpenAiCompatibleDeps,
  config: SwitchboardConfig,
): Provider & { readonly chat: ChatModel; readonly image: ImageModel } {
  const baseUrl = withoutTrailingSlashes(config.baseUrl);
  const openAi: OpenAiCompatibleConfig = { ...config, kind: 'openai-compatible', baseUrl: `${baseUrl}/ai/openai` };
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const host = createOpenAiCompatibleProvider({ ...deps, dispatcher }, openAi);
  const endpoint = createEndpoint({ clock: deps.clock, dispatcher }, openAi, timeouts);
  return {
    ...host,
    image: createImagen({ provider: config.name, endpoint }, `${baseUrl}/ai/imagen`),
    async close() {
      await host.close();
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}
