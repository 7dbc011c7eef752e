import type { SpanAttributes } from '../lib/observer.ts';

/** Attributes of OpenTelemetry's conventions by the names that the router uses. */
const NAMES: Readonly<Record<string, string>> = {
  model: 'gen_ai.request.model',
  isStreamed: 'gen_ai.request.stream',
  maxOutputTokens: 'gen_ai.request.max_tokens',
  choiceCount: 'gen_ai.request.choice.count',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  seed: 'gen_ai.request.seed',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunkSeconds: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  audioInputTokens: 'gen_ai.usage.audio.input_tokens',
  audioOutputTokens: 'gen_ai.usage.audio.output_tokens',
  imageInputTokens: 'gen_ai.usage.image.input_tokens',
};

/** Names of the conventions for operations; those of other kinds are the same. */
const OPERATIONS: Readonly<Record<string, string>> = {
  completion: 'text_completion',
  embedding: 'embeddings',
  image: 'generate_content',
  speech: 'generate_content',
  transcription: 'generate_content',
};

const OUTPUT_TYPES: Readonly<Record<string, string>> = { image: 'image', speech: 'speech', transcription: 'text' };

/** Names of the conventions for providers, by those of the presets; the others are the same. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

/**
 * Returns the attributes of a provider attempt under OpenTelemetry's conventions for generative AI, and the others under
 * their own names with a prefix.
 */
export function toGenAiAttributes(attributes: SpanAttributes, prefix: string): SpanAttributes {
  const { kind, provider } = attributes;
  const renamed = Object.entries(attributes).map(([name, value]) => [NAMES[name] ?? `${prefix}${name}`, value]);
  return {
    ...Object.fromEntries(renamed),
    'gen_ai.operation.name': toOperation(attributes),
    'gen_ai.provider.name': PROVIDERS[String(provider)] ?? provider,
    'gen_ai.output.type': OUTPUT_TYPES[String(kind)],
  };
}

/** Returns the span's name: `chat gpt-5-mini`. */
export function toGenAiSpanName(attributes: SpanAttributes): string {
  return `${toOperation(attributes)} ${attributes['model']}`;
}

function toOperation({ operation, kind }: SpanAttributes): string {
  return String(operation ?? OPERATIONS[String(kind)] ?? kind);
}
