import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { ModelType } from '../contract/provider.ts';

/** Type of a listed model. `other` models can't be served here: video, realtime, guards, … */
type ModelKind = ModelType | 'other';

const OTHER_NAMES =
  /(^|[/_-])(ocr|clip|nli)([/_-]|$)|(^|[/-])(llama|prompt|nemo|shield|granite|nemotron)-?guard|-guard(-|$)|guardian|shieldgemma|safeguard|content-safety|safety-guard|realtime|-audio-|-audio$|audio-preview|davinci-002|babbage-002|turbo-instruct|(^|[/-])(veo|sora|kling|wan[\d.]*|hailuo|lyria|cogvideox|nvclip|aqa)([/-]|\d|$)|video|reward|-detector|deplot|segmentation|neva-parse|nemoretriever-parse|computer-use|(^|[/-])live-|native-audio|deep-research|gemini-.*-tts/i;
/** OpenAI models that are available only at its responses endpoint. */
const RESPONSES_ONLY = /^(gpt-[\d.]+(-[a-z]+)*-codex|codex-|gpt-5[\d.]*-pro|o\d-pro)/;
const EMBEDDING_NAMES = /embed|(^|[/-])(bge|gte|e5|uae|jina|voyage)-|minilm|similarity|retriever|m2-bert/i;
const TRANSCRIPTION_NAMES = /whisper|transcri|(^|[/_-])(stt|asr)([/_-]|$)|parakeet|(^|[/-])canary-/i;
const SPEECH_NAMES = /(^|[/_-])tts([/_-]|\d|$)|text-to-speech|(^|[/-])(orpheus|playai|kokoro)([/-]|\d|$)/i;
/** Names that tell no type that is served: `speech` may be either direction. */
const UNCLEAR_NAMES = /speech|bert|nemoretriever/i;
const IMAGE_NAMES =
  /dall-e|gpt-image|chatgpt-image|(^|[/-])imagen-|(^|[/-])flux|stable-diffusion|(^|[/-])sd(xl|3)|sdxl|hidream|recraft|ideogram|seedream|qwen-image|hunyuan-?image|kandinsky|kolors|cogview|riverflow|nano-banana|playground-v\d|z-image|grok-\d?-?(imagine|image)|grok-imagine|-image(-[\d.]+|-preview|-generation|-turbo|-edit|-mini|-lite|-fast|-flash|-pro|-max|-plus)*(:\w+)?$|image-0\d$/i;

/** In this order: a name can match several, `flux-…-video` is not an image model. */
const KINDS_BY_NAME: readonly (readonly [RegExp, ModelKind])[] = [
  [/rerank/i, 'rerank'],
  [OTHER_NAMES, 'other'],
  [RESPONSES_ONLY, 'other'],
  [/moderation/i, 'moderation'],
  [EMBEDDING_NAMES, 'embedding'],
  [TRANSCRIPTION_NAMES, 'transcription'],
  [SPEECH_NAMES, 'speech'],
  [UNCLEAR_NAMES, 'other'],
  [IMAGE_NAMES, 'image'],
];

/** Values of a host's type of model; `audio` may be either direction. */
const KINDS_BY_TYPE: readonly (readonly [RegExp, ModelKind])[] = [
  [/^(chat|chat-completion|language|llm|text|code|text-generation|vlm|multimodal)$/i, 'chat'],
  [/^(image|image-generation|text-to-image)$/i, 'image'],
  [/embed/i, 'embedding'],
  [/tts|text-to-speech|^speech$/i, 'speech'],
  [/transcri|asr|speech-to-text|speech-recognition/i, 'transcription'],
  [/rerank/i, 'rerank'],
  [/moderation|audio|music|video|speech|upscale|inpaint|classification/i, 'other'],
];

/** Classifies an entry of a host's list: by the host's description, else by the name. */
export function modelKindOf(id: string, entry: JsonObject): ModelKind {
  if (isImageChat(id, entry)) return 'image';
  // Another Switchboard; the type `moderation` alone means a guard model at other hosts.
  if (outputsOf(entry)?.includes('classification')) return 'moderation';
  return kindByType(id, entry) ?? kindByModalities(id, entry) ?? kindByCapabilities(id, entry) ?? kindByName(id);
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

/** Returns the type of a model that is only known by name: chat, unless the name tells another one. */
export function modelTypeByName(id: string): ModelType {
  const kind = kindByName(id);
  return kind === 'other' ? 'chat' : kind;
}

function kindByName(id: string): ModelKind {
  return KINDS_BY_NAME.find(([names]) => names.test(id))?.[1] ?? 'chat';
}

/** Together, Vercel, Venice and Novita report the type; the value `model` is ignored. */
function kindByType(id: string, entry: JsonObject): ModelKind | undefined {
  const type = entry.model_type ?? entry.type ?? entry.task;
  if (typeof type !== 'string') return undefined;
  const kind = KINDS_BY_TYPE.find(([types]) => types.test(type))?.[1];
  return kind === 'other' ? kindOfNoChat(id) : kind;
}

/** OpenRouter, GitHub and Hugging Face report the output modalities. */
function kindByModalities(id: string, entry: JsonObject): ModelKind | undefined {
  const outputs = outputsOf(entry);
  if (!outputs || outputs.length === 0) return undefined;
  if (outputs.includes('text')) return kindByName(id) === 'transcription' ? 'transcription' : 'chat';
  if (outputs.includes('image')) return 'image';
  return outputs.includes('embeddings') ? 'embedding' : kindOfNoChat(id);
}

function outputsOf(entry: JsonObject): readonly unknown[] | undefined {
  const architecture = isJsonObject(entry.architecture) ? entry.architecture : {};
  const outputs = entry.supported_output_modalities ?? entry.output_modalities ?? architecture.output_modalities;
  return Array.isArray(outputs) ? outputs : undefined;
}

/** Mistral, Fireworks and Cohere report whether a model supports chats. */
function kindByCapabilities(id: string, entry: JsonObject): ModelKind | undefined {
  const { capabilities, endpoints, supports_chat: supportsChat } = entry;
  const chats = isJsonObject(capabilities) ? capabilities.completion_chat : supportsChat;
  if (typeof chats === 'boolean') return chats ? 'chat' : kindOfNoChat(id);
  if (!Array.isArray(endpoints) || !endpoints.every((endpoint) => typeof endpoint === 'string')) return undefined;
  if (endpoints.some((endpoint) => /chat/.test(endpoint))) return 'chat';
  return endpoints.some((endpoint) => /^embed$/.test(endpoint)) ? 'embedding' : kindOfNoChat(id);
}

/** Returns the type by name of a model that its host describes as another than chat. */
function kindOfNoChat(id: string): ModelKind {
  const kind = kindByName(id);
  return kind === 'chat' ? 'other' : kind;
}
