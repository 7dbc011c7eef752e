import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import { createHttpAgent } from '../../../../lib/http-client.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { fetchPublic } from '../../../../lib/public-fetch.ts';
import type { ChatModel } from '../../chat-model.ts';
import type { ImageModel } from '../../image-model.ts';
import type { Provider, ProviderModel } from '../../provider.ts';
import { createChat } from './chat.ts';
import { createChatImages } from './chat-images.ts';
import { createEndpoint } from './endpoint.ts';
import type { Download } from './image-answer.ts';
import { canEdit, createImages, type ImagesDeps } from './images.ts';
import { listHostModels } from './list-host-models.ts';
import { DEFAULT_PROVIDER_TIMEOUTS, type OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createSpeech } from './speech.ts';
import { createTranscription } from './transcription.ts';

export interface OpenAiCompatibleDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Carries the requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
  /** Gets pictures whose address is all that the host answers with. Default: from public addresses alone. */
  readonly download?: Download;
}

/** A provider for any endpoint that speaks OpenAI's protocol: hosted, or a server at home. */
export function createOpenAiCompatibleProvider(
  deps: OpenAiCompatibleDeps,
  config: OpenAiCompatibleConfig,
): Provider & { readonly chat: ChatModel } {
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const endpoint = createEndpoint({ clock: deps.clock, dispatcher }, config, timeouts);
  const closing = new AbortController();
  // Hosts that serve models on a port of their own often serve the images there, too.
  const trustedOrigin = URL.parse(config.baseUrl)?.origin;
  const download = cutOn(
    closing.signal,
    deps.download ?? ((url, options) => fetchPublic({ clock: deps.clock }, url, { ...options, trustedOrigin })),
  );
  const { models, transcriptionModel, speech } = config;
  return {
    name: config.name,
    chat: createChat({ endpoint }, config),
    image: createImageModel({ endpoint, download }, config),
    transcription:
      transcriptionModel === undefined ? undefined : createTranscription({ endpoint }, config, transcriptionModel),
    speech: speech && createSpeech({ endpoint }, config, speech),
    acceptsAnyModel: config.acceptsAnyModel ?? false,
    weight: config.weight ?? 1,
    listModels: async (signal) =>
      (models ?? (await listHostModels(endpoint, config, signal))).flatMap((model) => toServed(config, model)),
    async close() {
      closing.abort(new Error('the provider is closed'));
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}

function createImageModel(deps: ImagesDeps, config: OpenAiCompatibleConfig): ImageModel | undefined {
  switch (config.imageProtocol ?? 'images') {
    case 'images':
      return createImages(deps, config);
    case 'chat':
      return createChatImages(deps, config);
    case 'none':
      return undefined;
  }
}

/** Downloads go past the provider's own pool, so closing it would not cut them. */
function cutOn(closing: AbortSignal, download: Download): Download {
  return async (url, options) => {
    const cut = new AbortController();
    const signals = [options.signal, closing];
    const onAbort = () => cut.abort(signals.find(({ aborted }) => aborted)?.reason);
    for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signals.some(({ aborted }) => aborted)) onAbort();
      return await download(url, { ...options, signal: cut.signal });
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    }
  };
}

/** The listed model as it is served here: not at all where the host draws by a protocol of its own. */
function toServed(config: OpenAiCompatibleConfig, model: ProviderModel): readonly ProviderModel[] {
  if (model.type !== 'image' || config.imageProtocol === 'chat') return [model];
  return config.imageProtocol === 'none' ? [] : [{ ...model, acceptsImages: canEdit(config, model.id) }];
}
