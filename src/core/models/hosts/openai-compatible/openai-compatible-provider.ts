import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import type { HeldBytes } from '../../../../lib/http/held-bytes.ts';
import { createHttpAgent } from '../../../../lib/http/http-client.ts';
import { type Download, fetchPublic } from '../../../../lib/http/public-fetch.ts';
import type { Logger } from '../../../../lib/log/logger.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { ImageModel } from '../../contract/image-model.ts';
import type { ModelType, Provider, ProviderModel } from '../../contract/provider.ts';
import { createEndpoint, DEFAULT_PROVIDER_TIMEOUTS } from '../endpoint/endpoint.ts';
import { createChat, createTextCompletions } from './chat.ts';
import { createChatImages } from './chat-images.ts';
import { createEmbeddings } from './embeddings.ts';
import { canEdit, createImages, type ImagesDeps } from './images.ts';
import { listHostModels } from './list-host-models.ts';
import { createModerations } from './moderations.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createRerank } from './rerank.ts';
import { createSpeech } from './speech.ts';
import { createTranscription } from './transcription.ts';

export interface OpenAiCompatibleDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts the answers that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
  /** Used for requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
  /** Downloads images that the host returns as URLs, and files of requests. Default: from public addresses only. */
  readonly download?: Download;
}

/** Creates a provider for an endpoint that speaks OpenAI's protocol, hosted or local. */
export function createOpenAiCompatibleProvider(
  deps: OpenAiCompatibleDeps,
  config: OpenAiCompatibleConfig,
): Provider & { readonly chat: ChatModel } {
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const endpoint = createEndpoint({ ...deps, dispatcher }, config, timeouts);
  const closing = new AbortController();
  // Local servers often serve the images on the same port as the models.
  const trustedOrigin = URL.parse(config.baseUrl)?.origin;
  const downloadFrom = (origin: string | undefined): Download =>
    cutOn(
      closing.signal,
      deps.download ?? ((url, options) => fetchPublic(deps, url, { ...options, trustedOrigin: origin })),
    );
  const download = downloadFrom(trustedOrigin);
  const { speech } = config;
  return {
    name: config.name,
    // Addresses in messages come from users.
    chat: createChat({ endpoint, download: downloadFrom(undefined) }, config),
    image: createImageModel({ endpoint, download }, config),
    completion: createTextCompletions({ endpoint }, config),
    embedding: createEmbeddings({ endpoint }, config),
    moderation: createModerations({ endpoint }, config),
    rerank: createRerank({ endpoint }, config),
    transcription: createTranscription({ endpoint }, config),
    botTranscriptionModel: config.transcriptionModel,
    speech: createSpeech({ endpoint }, config),
    botSpeech: speech && { ...speech, format: speech.format ?? 'opus' },
    acceptsAnyModel: config.acceptsAnyModel ?? false,
    weight: config.weight ?? 1,
    listModels: async (signal) => {
      const models = config.models ?? (await listHostModels(endpoint, config, signal));
      return withBotModels(config, models).flatMap((model) => toServed(config, model));
    },
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

/** Downloads don't use the provider's pool, so closing the pool would not abort them. */
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

/** Adds the models that the settings name for the bot, whose types are certain. */
function withBotModels(
  { transcriptionModel, speech }: OpenAiCompatibleConfig,
  models: readonly ProviderModel[],
): readonly ProviderModel[] {
  const types = new Map<string, ModelType>();
  if (transcriptionModel !== undefined) types.set(transcriptionModel, 'transcription');
  if (speech) types.set(speech.model, 'speech');
  const listed = models.map((model) => ({ ...model, type: types.get(model.id) ?? model.type }));
  const missing = [...types].filter(([id]) => listed.every((model) => model.id !== id));
  return [...listed, ...missing.map(([id, type]) => ({ id, type }))];
}

/** Returns the listed model, or nothing if the host generates images by a protocol that is not supported here. */
function toServed(config: OpenAiCompatibleConfig, model: ProviderModel): readonly ProviderModel[] {
  if (model.type !== 'image' || config.imageProtocol === 'chat') return [model];
  return config.imageProtocol === 'none' ? [] : [{ ...model, acceptsImages: canEdit(config, model.id) }];
}
