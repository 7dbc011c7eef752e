import { createHttpAgent } from '../../../../lib/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import type { ChatModel } from '../../chat-model.ts';
import type { ImageModel } from '../../image-model.ts';
import type { Provider, ProviderModel } from '../../provider.ts';
import { createEndpoint } from '../host/endpoint.ts';
import { DEFAULT_PROVIDER_TIMEOUTS, type ProviderTimeouts } from '../host/provider-timeouts.ts';
import type { OpenAiCompatibleConfig } from '../openai-compatible/openai-compatible-config.ts';
import {
  createOpenAiCompatibleProvider,
  type OpenAiCompatibleDeps,
} from '../openai-compatible/openai-compatible-provider.ts';
import { createImagen } from './imagen.ts';

/** Another Switchboard service: chat at `<baseUrl>/ai/openai`, images at `<baseUrl>/ai/imagen`. */
export interface SwitchboardConfig {
  readonly kind: 'switchboard';
  /** Unique, lowercase; prefix of qualified model names. */
  readonly name: string;
  /** Address of the service: `https://other.example`. */
  readonly baseUrl: string;
  /** Tried in order. A key that is refused or has reached its limit rests. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its models, if the settings list them; undefined: requested from the service. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Accepts any model name. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first attempts among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}

/** Creates a provider for another Switchboard service. Chats use its OpenAI-compatible API. */
export function createSwitchboardProvider(
  deps: OpenAiCompatibleDeps,
  config: SwitchboardConfig,
): Provider & { readonly chat: ChatModel; readonly image: ImageModel } {
  const baseUrl = withoutTrailingSlashes(config.baseUrl);
  const openAi: OpenAiCompatibleConfig = { ...config, kind: 'openai-compatible', baseUrl: `${baseUrl}/ai/openai` };
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const host = createOpenAiCompatibleProvider({ ...deps, dispatcher }, openAi);
  const endpoint = createEndpoint({ ...deps, dispatcher }, openAi, timeouts);
  return {
    ...host,
    image: createImagen({ provider: config.name, endpoint }, `${baseUrl}/ai/imagen`),
    async close() {
      await host.close();
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}
