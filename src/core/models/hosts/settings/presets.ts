import type { ImagesDialect } from '../../../../protocols/openai-media/images/print-request.ts';
import type { AspectRatio, ImageSize } from '../../contract/image-model.ts';
import type { ProviderModel } from '../../contract/provider.ts';
import type { ImageProtocol, PdfPart, SpeechConfig } from '../openai-compatible/openai-compatible-config.ts';

export interface AddressVariable {
  readonly name: string;
  /** Address with `*` for the value, if the variable contains only a part of it. */
  readonly pattern?: string;
}

/** A host that needs no settings but its key. */
export interface ProviderPreset {
  /** Name of the provider, and of the preset in a providers file. */
  readonly name: string;
  readonly displayName: string;
  /** Its protocol, if not OpenAI's. */
  readonly type?: 'anthropic';
  /** Relative to the operator's address if the preset has `addressVariables`. */
  readonly baseUrl: string;
  /** Environment variables for its key or keys; the first one that is set is used. */
  readonly keyVariables: readonly [string, ...string[]];
  /**
   * Environment variables for the address of the operator's own instance, for hosts that have no common address; the
   * first one that is set is used.
   */
  readonly addressVariables?: readonly AddressVariable[];
  readonly headers?: Readonly<Record<string, string>>;
  /** URL of its list of models, if not `<baseUrl>/models`: absolute, or relative to `baseUrl`. */
  readonly modelsUrl?: string;
  /** Header for the key in requests for the list, if not `Authorization: Bearer`. */
  readonly modelsKeyHeader?: string;
  /**
   * General-purpose models that are listed first, for users who have not chosen one. Names that the host no longer
   * serves are ignored.
   */
  readonly preferredModels?: readonly string[];
  /** Its models, if it has no list. */
  readonly models?: readonly ProviderModel[];
  /** How it generates images, if not at OpenAI's images endpoint. */
  readonly imageProtocol?: ImageProtocol;
  /** How it accepts PDF files, if not by OpenAI's content part. */
  readonly pdfPart?: PdfPart;
  /** Its address for reranking, if not `<baseUrl>/rerank`. */
  readonly rerankUrl?: string;
  /** Whether it takes Anthropic's `cache_control`. */
  readonly takesCacheControl?: boolean;
  /** How its images endpoint differs from OpenAI's. */
  readonly images?: ImagesDialect;
  /** Its model for OpenAI's `/audio/transcriptions`. */
  readonly transcriptionModel?: string;
  /** Its model for OpenAI's `/audio/speech`. */
  readonly speech?: SpeechConfig;
}

const chat = (id: string): ProviderModel => ({ id, type: 'chat' });
const sides = ([width, height]: readonly [number, number]): ImageSize & AspectRatio => ({ width, height });

const XAI_RATIOS: readonly AspectRatio[] = (
  [
    [1, 1],
    [4, 3],
    [3, 4],
    [3, 2],
    [2, 3],
    [16, 9],
    [9, 16],
    [2, 1],
    [1, 2],
    [20, 9],
    [9, 20],
  ] as const
).map(sides);

const VENICE_SIZES: readonly ImageSize[] = (
  [
    [1024, 1024],
    [512, 512],
    [256, 256],
    [1536, 1024],
    [1024, 1536],
    [1792, 1024],
    [1024, 1792],
  ] as const
).map(sides);

/**
 * Presets in the order of preference. Base addresses and variables are those of the hosts' own documentation (linked
 * above each entry) and of https://models.dev, as of November 2026.
 */
export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  // https://platform.openai.com/docs/api-reference
  {
    name: 'openai',
    displayName: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    preferredModels: ['gpt-5-mini', 'gpt-4.1-mini', 'gpt-4o-mini'],
    // https://platform.openai.com/docs/guides/speech-to-text
    transcriptionModel: 'gpt-4o-mini-transcribe',
    // https://platform.openai.com/docs/guides/text-to-speech
    speech: { model: 'gpt-4o-mini-tts', voice: 'alloy' },
  },
  // https://openrouter.ai/docs/api-reference/overview: the title attributes the calls
  // https://openrouter.ai/docs/guides/overview/multimodal/image-generation
  {
    name: 'openrouter',
    displayName: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    preferredModels: ['openai/gpt-oss-120b:free', 'meta-llama/llama-3.3-70b-instruct:free', 'openrouter/auto'],
    headers: { 'x-title': 'Switchboard' },
    // Without the query parameter the list omits models that generate no text.
    modelsUrl: 'models?output_modalities=text,image,embeddings',
    imageProtocol: 'chat',
    // https://openrouter.ai/docs/guides/best-practices/prompt-caching
    takesCacheControl: true,
  },
  // https://console.groq.com/docs/openai
  {
    name: 'groq',
    displayName: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    preferredModels: ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile'],
    // https://console.groq.com/docs/speech-to-text
    transcriptionModel: 'whisper-large-v3-turbo',
  },
  // https://inference-docs.cerebras.ai/resources/openai
  {
    name: 'cerebras',
    displayName: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariables: ['CEREBRAS_API_KEY'],
    preferredModels: ['gpt-oss-120b', 'llama-3.3-70b'],
  },
  // https://ai.google.dev/gemini-api/docs/openai; the list of models is of Google's own API, with context lengths:
  // https://ai.google.dev/api/models: lists `models/…`, accepts the names without the prefix
  {
    name: 'google',
    displayName: 'Google AI Studio',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    modelsUrl: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
    modelsKeyHeader: 'x-goog-api-key',
    preferredModels: ['gemini-2.5-flash'],
    // It answers "Invalid content part type: file".
    pdfPart: 'image_url',
  },
  // https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle: models are named by their deployments
  // Its /models lists what can be deployed; the deployments are listed by an older version of the API only.
  {
    name: 'azure',
    displayName: 'Azure OpenAI',
    baseUrl: '/openai/v1',
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    addressVariables: [
      { name: 'AZURE_OPENAI_ENDPOINT' },
      { name: 'AZURE_RESOURCE_NAME', pattern: 'https://*.openai.azure.com' },
    ],
    modelsUrl: '/openai/deployments?api-version=2023-03-15-preview',
    modelsKeyHeader: 'api-key',
  },
  // https://docs.mistral.ai/api
  {
    name: 'mistral',
    displayName: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariables: ['MISTRAL_API_KEY'],
    preferredModels: ['mistral-medium-latest', 'mistral-small-latest'],
  },
  // https://api-docs.deepseek.com
  {
    name: 'deepseek',
    displayName: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariables: ['DEEPSEEK_API_KEY'],
    preferredModels: ['deepseek-chat'],
  },
  // https://platform.claude.com/docs/en/api/overview
  {
    name: 'anthropic',
    displayName: 'Anthropic',
    type: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    preferredModels: ['claude-sonnet-5-5', 'claude-sonnet-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5-20250929'],
  },
  // https://docs.x.ai/docs/api-reference
  // https://docs.x.ai/docs/guides/image-generation: edits are JSON
  {
    name: 'xai',
    displayName: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    images: {
      shape: 'aspect_ratio',
      ratios: XAI_RATIOS,
      editing: { models: /imagine/, source: 'object' },
    },
  },
  // https://docs.together.ai/docs/openai-api-compatibility: the list is a bare array
  // https://docs.together.ai/reference/post_images-generations
  {
    name: 'together',
    displayName: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariables: ['TOGETHER_API_KEY'],
    preferredModels: ['openai/gpt-oss-120b', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'],
    images: {
      shape: 'width-and-height',
      responseFormat: 'base64',
      editing: { models: /kontext|image-edit/i, source: 'image_url' },
    },
  },
  // https://docs.fireworks.ai/tools-sdks/openai-compatibility
  // Images: /image_generation and /workflows, not OpenAI-compatible: https://docs.fireworks.ai
  {
    name: 'fireworks',
    displayName: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariables: ['FIREWORKS_API_KEY'],
    imageProtocol: 'none',
  },
  // https://docs.github.com/en/rest/models/catalog; not GITHUB_TOKEN, which is often set for other purposes
  {
    name: 'github',
    displayName: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference',
    keyVariables: ['GITHUB_MODELS_TOKEN'],
    preferredModels: ['openai/gpt-4.1-mini', 'openai/gpt-4o-mini'],
    modelsUrl: 'https://models.github.ai/catalog/models',
  },
  // https://huggingface.co/docs/inference-providers
  // Its OpenAI-compatible endpoint supports chats only
  {
    name: 'huggingface',
    displayName: 'Hugging Face',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariables: ['HF_TOKEN'],
    preferredModels: ['openai/gpt-oss-120b', 'meta-llama/Llama-3.3-70B-Instruct'],
    imageProtocol: 'none',
  },
  // https://docs.api.nvidia.com/nim/reference/llm-apis
  // Images: ai.api.nvidia.com, not OpenAI-compatible: https://docs.api.nvidia.com/nim/reference/visual-models-apis
  {
    name: 'nvidia',
    displayName: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyVariables: ['NVIDIA_API_KEY'],
    preferredModels: ['openai/gpt-oss-120b', 'meta/llama-3.3-70b-instruct'],
    imageProtocol: 'none',
  },
  // https://docs.sambanova.ai/cloud/api-reference
  {
    name: 'sambanova',
    displayName: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    keyVariables: ['SAMBANOVA_API_KEY'],
    preferredModels: ['gpt-oss-120b', 'Meta-Llama-3.3-70B-Instruct'],
  },
  // https://docs.cohere.com/docs/compatibility-api; the list of models is of Cohere's own API
  {
    name: 'cohere',
    displayName: 'Cohere',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    keyVariables: ['COHERE_API_KEY'],
    preferredModels: ['command-a-03-2025'],
    modelsUrl: 'https://api.cohere.com/v1/models?page_size=1000',
    // https://docs.cohere.com/reference/rerank
    rerankUrl: 'https://api.cohere.com/v2/rerank',
  },
  // https://platform.moonshot.ai/docs/api/chat
  {
    name: 'moonshot',
    displayName: 'Moonshot AI',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['MOONSHOT_API_KEY'],
  },
  // https://docs.z.ai/guides/overview/quick-start
  // https://docs.z.ai/api-reference/image/generate-image: returns URLs
  {
    name: 'zai',
    displayName: 'Z.AI',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['ZAI_API_KEY'],
    images: { responseFormat: null },
  },
  // https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope
  // Images: DashScope's own API
  {
    name: 'alibaba',
    displayName: 'Alibaba Model Studio',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY'],
    imageProtocol: 'none',
  },
  // https://platform.minimax.io/docs/api-reference/text-openai-api: documents no list of models
  {
    name: 'minimax',
    displayName: 'MiniMax',
    baseUrl: 'https://api.minimax.io/v1',
    keyVariables: ['MINIMAX_API_KEY'],
    models: ['MiniMax-M2.5', 'MiniMax-M2'].map(chat),
  },
  // https://docs.perplexity.ai/guides/chat-completions-guide: documents no list of models
  {
    name: 'perplexity',
    displayName: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    keyVariables: ['PERPLEXITY_API_KEY'],
    models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro'].map(chat),
  },
  // https://docs.deepinfra.com/chat/overview
  // https://deepinfra.com/docs/openai_api: also /images/edits
  {
    name: 'deepinfra',
    displayName: 'DeepInfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keyVariables: ['DEEPINFRA_API_KEY'],
    images: { editing: { models: /kontext|image-edit/i, source: 'file' } },
  },
  // https://docs.hyperbolic.xyz
  // Images: /v1/image/generation, not OpenAI-compatible
  {
    name: 'hyperbolic',
    displayName: 'Hyperbolic',
    baseUrl: 'https://api.hyperbolic.xyz/v1',
    keyVariables: ['HYPERBOLIC_API_KEY'],
    imageProtocol: 'none',
  },
  // https://docs.tokenfactory.nebius.com
  // Images take `width` and `height` instead of `size`
  {
    name: 'nebius',
    displayName: 'Nebius Token Factory',
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    keyVariables: ['NEBIUS_API_KEY'],
    images: { shape: 'width-and-height' },
  },
  // https://novita.ai/docs/guides/llm-api
  // Images: /v3/async, not OpenAI-compatible
  {
    name: 'novita',
    displayName: 'Novita AI',
    baseUrl: 'https://api.novita.ai/openai/v1',
    keyVariables: ['NOVITA_API_KEY'],
    imageProtocol: 'none',
  },
  // https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions
  // https://docs.siliconflow.com/en/api-reference/images/images-generations: returns URLs
  {
    name: 'siliconflow',
    displayName: 'SiliconFlow',
    baseUrl: 'https://api.siliconflow.com/v1',
    keyVariables: ['SILICONFLOW_API_KEY'],
    images: {
      shape: 'image_size',
      countField: 'batch_size',
      responseFormat: null,
      editing: { models: /kontext|image-edit/i, source: 'image' },
    },
  },
  // https://chutes.ai/docs
  // Images: one address for each model
  {
    name: 'chutes',
    displayName: 'Chutes',
    baseUrl: 'https://llm.chutes.ai/v1',
    keyVariables: ['CHUTES_API_KEY'],
    imageProtocol: 'none',
  },
  // https://www.scaleway.com/en/docs/generative-apis
  {
    name: 'scaleway',
    displayName: 'Scaleway',
    baseUrl: 'https://api.scaleway.ai/v1',
    keyVariables: ['SCALEWAY_API_KEY'],
  },
  // https://help.ovhcloud.com/csm/en-public-cloud-ai-endpoints-getting-started
  {
    name: 'ovhcloud',
    displayName: 'OVHcloud AI Endpoints',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    keyVariables: ['OVHCLOUD_API_KEY'],
  },
  // https://docs.venice.ai
  // https://docs.venice.ai/guides/media/image-generation; lists only text models by default
  {
    name: 'venice',
    displayName: 'Venice AI',
    baseUrl: 'https://api.venice.ai/api/v1',
    keyVariables: ['VENICE_API_KEY'],
    modelsUrl: 'models?type=all',
    images: { sizes: VENICE_SIZES },
  },
  // https://vercel.com/docs/ai-gateway/openai-compat
  // https://vercel.com/docs/ai-gateway/modalities/image-generation/openai
  {
    name: 'vercel',
    displayName: 'Vercel AI Gateway',
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    keyVariables: ['AI_GATEWAY_API_KEY'],
    imageProtocol: 'chat',
  },
  // https://github.com/pollinations/pollinations: APIDOCS.md
  {
    name: 'pollinations',
    displayName: 'Pollinations',
    baseUrl: 'https://gen.pollinations.ai/v1',
    keyVariables: ['POLLINATIONS_API_KEY'],
  },
];

/** Presets that need a key and nothing else. */
export const KEY_ONLY_PRESETS: readonly ProviderPreset[] = PROVIDER_PRESETS.filter(
  ({ addressVariables }) => !addressVariables,
);

/** Variables that enable a preset. OpenAI's is handled together with `OPENAI_BASE_URL`. */
export const presetKeyVariables: readonly string[] = PROVIDER_PRESETS.flatMap(
  ({ keyVariables }) => keyVariables,
).filter((variable) => variable !== 'OPENAI_API_KEY');

/**
 * Returns the base URL of a preset. Undefined if it needs the operator's address and no variable contains one. A path
 * in the address is ignored.
 */
export function findPresetBaseUrl(
  { baseUrl, addressVariables }: ProviderPreset,
  variables: (name: string) => string | undefined,
): string | undefined {
  if (!addressVariables) return baseUrl;
  for (const { name, pattern = '*' } of addressVariables) {
    const value = variables(name)?.trim();
    const address = value && pattern.replace('*', () => value);
    if (address && URL.canParse(address)) return new URL(baseUrl, address).href;
  }
  return undefined;
}

export function findPreset(name: string): ProviderPreset | undefined {
  return PROVIDER_PRESETS.find((preset) => preset.name === name);
}
