import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';

/** Use of a listed model. `other` is neither chat nor images: embeddings, speech, moderation, … */
export type ModelKind = 'chat' | 'image' | 'other';

const OTHER_NAMES =
  /embed|(^|[/-])(bge|gte|e5|uae|jina|voyage)-|rerank|whisper|(^|[/_-])(tts|stt|asr|ocr|clip|nli)([/_-]|$)|speech|transcri|moderation|(^|[/-])(llama|prompt|nemo|shield|granite|nemotron)-?guard|-guard(-|$)|guardian|shieldgemma|safeguard|content-safety|safety-guard|realtime|-audio-|-audio$|audio-preview|voxtral-mini-(transcribe|realtime)|parakeet|(^|[/-])canary-|davinci-002|babbage-002|turbo-instruct|(^|[/-])(veo|sora|kling|wan[\d.]*|hailuo|lyria|cogvideox|orpheus|playai|kokoro|nvclip|aqa)([/-]|\d|$)|video|similarity|retriever|reward|-detector|bert|deplot|segmentation|neva-parse|nemoretriever|computer-use|(^|[/-])live-|native-audio|deep-research/i;
/** OpenAI models that are available only at its responses endpoint. */
const RESPONSES_ONLY = /^(gpt-[\d.]+(-[a-z]+)*-codex|codex-|gpt-5[\d.]*-pro|o\d-pro)/;
const IMAGE_NAMES =
  /dall-e|gpt-image|chatgpt-image|(^|[/-])imagen-|(^|[/-])flux|stable-diffusion|(^|[/-])sd(xl|3)|sdxl|hidream|recraft|ideogram|seedream|qwen-image|hunyuan-?image|kandinsky|kolors|cogview|riverflow|nano-banana|playground-v\d|z-image|grok-\d?-?(imagine|image)|grok-imagine|-image(-[\d.]+|-preview|-generation|-turbo|-edit|-mini|-lite|-fast|-flash|-pro|-max|-plus)*(:\w+)?$|image-0\d$/i;

/** Classifies an entry of a host's list: by the host's description, else by the name. */
export function modelKindOf(id: string, entry: JsonObject): ModelKind {
  if (isImageChat(id, entry)) return 'image';
  return kindByType(entry) ?? kindByModalities(entry) ?? kindByCapabilities(id, entry) ?? kindByName(id);
}

/**
 * Returns whether a chat model is primarily an image model: `gemini-2.5-flash-image` also writes, but users choose it
 * for images; `openrouter/auto` may generate images, but users choose it for chats. OpenRouter reports output
 * modalities, Vercel tags.
 */
function isImageChat(id: string, entry: JsonObject): boolean {
  const draws =
    outputsOf(entry)?.includes('image') || (Array.isArray(entry.tags) && entry.tags.includes('image-generation'));
  return Boolean(draws) && kindByName(id) === 'image';
}

/** Returns the type of a model that is only known by name: chat, unless the name looks like an image model. */
export function modelTypeByName(id: string): 'chat' | 'image' {
  return kindByName(id) === 'image' ? 'image' : 'chat';
}

function kindByName(id: string): ModelKind {
  // A name can match both: `flux-…-video` is not an image model.
  if (OTHER_NAMES.test(id) || RESPONSES_ONLY.test(id)) return 'other';
  return IMAGE_NAMES.test(id) ? 'image' : 'chat';
}

/** Together, Vercel, Venice and Novita report the type; the value `model` is ignored. */
function kindByType(entry: JsonObject): ModelKind | undefined {
  const type = entry.model_type ?? entry.type ?? entry.task;
  if (typeof type !== 'string') return undefined;
  if (/^(chat|chat-completion|language|llm|text|code|text-generation|vlm|multimodal)$/i.test(type)) return 'chat';
  if (/^(image|image-generation|text-to-image)$/i.test(type)) return 'image';
  return /embed|moderation|rerank|audio|music|video|speech|transcri|tts|asr|upscale|inpaint|classification/i.test(type)
    ? 'other'
    : undefined;
}

/** OpenRouter, GitHub and Hugging Face report the output modalities. */
function kindByModalities(entry: JsonObject): ModelKind | undefined {
  const outputs = outputsOf(entry);
  if (!outputs || outputs.length === 0) return undefined;
  if (outputs.includes('text')) return 'chat';
  return outputs.includes('image') ? 'image' : 'other';
}

function outputsOf(entry: JsonObject): readonly unknown[] | undefined {
  const architecture = isJsonObject(entry.architecture) ? entry.architecture : {};
  const outputs = entry.supported_output_modalities ?? entry.output_modalities ?? architecture.output_modalities;
  return Array.isArray(outputs) ? outputs : undefined;
}

/** Mistral, Fireworks and Cohere report whether a model supports chats. */
function kindByCapabilities(id: string, entry: JsonObject): ModelKind | undefined {
  const { capabilities } = entry;
  if (isJsonObject(capabilities) && typeof capabilities.completion_chat === 'boolean') {
    return capabilities.completion_chat ? 'chat' : 'other';
  }
  if (typeof entry.supports_chat === 'boolean') {
    if (entry.supports_chat) return 'chat';
    return kindByName(id) === 'image' ? 'image' : 'other';
  }
  if (Array.isArray(entry.endpoints) && entry.endpoints.every((endpoint) => typeof endpoint === 'string')) {
    return entry.endpoints.some((endpoint) => /chat/.test(endpoint)) ? 'chat' : 'other';
  }
  return undefined;
}
