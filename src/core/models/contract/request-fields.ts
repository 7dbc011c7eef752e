import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { Dialect, NativeRequest, UnknownFields } from './chat-request.ts';
import { isLengthField } from './length-fields.ts';

/** Fields of a client's request that hosts may understand. */
export interface ForwardedFields {
  readonly extraFields?: UnknownFields | undefined;
  readonly native?: NativeRequest | undefined;
}

/** Fields that name models beside `model`: those of OpenRouter and LiteLLM. */
const MODEL_FIELDS = ['models', 'fallbacks', 'preset', 'model_list'];

/** Returns the field by which a host may answer with another model than the requested one; undefined if there is none. */
export function findModelField(request: ForwardedFields): string | undefined {
  const field = MODEL_FIELDS.find((name) => isSet(readField(request, name)));
  if (field) return field;
  // Vercel's gateway.
  const options = readField(request, 'providerOptions');
  return isJsonObject(options) && isJsonObject(options['gateway']) ? 'providerOptions' : undefined;
}

/** Returns whether a field, under the name of `findPaidField`, costs nothing beside the tokens or images of the answer. */
export type IsFreeField = (field: string) => boolean;

/**
 * Returns the first field that is not known to be free: by it, a host may charge more than the list price of the model,
 * or answer with another one. Undefined if there is none. Tools and content parts that are not known are named by their
 * type: `tools.web_search`, `content.video_url`.
 * @param isFree tells the fields that the operator has declared to be free.
 */
export function findPaidField({ native, extraFields }: ForwardedFields, isFree: IsFreeField): string | undefined {
  for (const [name, value] of Object.entries(native?.body ?? extraFields ?? {})) {
    if (!isSet(value) || FREE_FIELDS.has(name) || isLengthField(name) || isFree(name)) continue;
    if (name === 'best_of' && native?.dialect === 'completions') continue;
    const find = FREE_VALUES.get(name);
    const field = find ? find(value, (inner) => isFree(`${name}.${inner}`), native?.dialect) : name;
    if (field !== undefined) return field.slice(0, MAX_FIELD_LENGTH);
  }
  return undefined;
}

/** Longer names are cut in errors. */
const MAX_FIELD_LENGTH = 100;

/** Fields that are free with any value: their tokens count, and nothing else. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  // The request itself, in all dialects. Its answers and their maximum length are counted.
  ...['model', 'system', 'prompt', 'suffix', 'stream', 'stream_options', 'n', 'user', 'metadata', 'client_metadata'],
  // The choice of tokens.
  ...['temperature', 'top_p', 'top_k', 'top_a', 'min_p', 'typical_p', 'tfs_z', 'seed', 'random_seed', 'logit_bias'],
  ...['presence_penalty', 'frequency_penalty', 'repetition_penalty', 'repeat_penalty', 'repeat_last_n'],
  ...['logprobs', 'top_logprobs', 'mirostat', 'mirostat_tau', 'mirostat_eta', 'dynatemp_range', 'dynatemp_exponent'],
  ...['dry_multiplier', 'dry_base', 'dry_allowed_length', 'dry_penalty_last_n', 'dry_sequence_breakers'],
  ...['xtc_probability', 'xtc_threshold', 'samplers', 'echo'],
  // The end of the answer.
  ...['stop', 'stop_sequences', 'stop_token_ids', 'include_stop_str_in_output', 'ignore_eos', 'min_tokens'],
  // Its form.
  ...['response_format', 'output_format', 'output_config', 'json_schema', 'grammar', 'structured_outputs', 'verbosity'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'guided_decoding_backend', 'audio'],
  ...['chat_template_kwargs', 'add_generation_prompt', 'continue_final_message', 'add_special_tokens'],
  ...['skip_special_tokens', 'spaces_between_special_tokens'],
  // Reasoning.
  ...['reasoning_effort', 'reasoning_format', 'include_reasoning', 'thinking'],
  // Functions of the client.
  ...['functions', 'function_call', 'tool_choice', 'parallel_tool_calls'],
  // Caches and identifiers. Writing to caches is in the price.
  ...['cache_control', 'cache_prompt', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
  ...['safety_identifier', 'store', 'usage', 'keep_alive', 'diagnostics'],
  // Reranking.
  ...['query', 'documents', 'top_n', 'return_documents', 'rank_fields', 'max_tokens_per_doc', 'max_chunks_per_doc'],
  // Embeddings, images and sound.
  ...['input_type', 'truncate', 'style', 'background', 'moderation', 'output_compression', 'negative_prompt'],
  ...['guidance_scale', 'stream_format', 'timestamp_granularities', 'include', 'chunking_strategy'],
  ...['known_speaker_names', 'known_speaker_references'],
]);

/** Returns the part of a value that is not known to be free; undefined if there is none. */
type FindPaid = (value: unknown, isFree: IsFreeField, dialect: Dialect | undefined) => string | undefined;

const oneOf =
  (name: string, ...values: readonly string[]): FindPaid =>
  (value) =>
    typeof value === 'string' && values.includes(value.toLowerCase()) ? undefined : name;

/** Fields that are free with certain values. */
const FREE_VALUES: ReadonlyMap<string, FindPaid> = new Map<string, FindPaid>([
  ['messages', findPaidPart],
  ['tools', findPaidTool],
  ['service_tier', oneOf('service_tier', 'auto', 'default', 'flex', 'standard', 'standard_only', 'on_demand')],
  ['speed', oneOf('speed', 'standard')],
  // Better images cost more than the price of one image.
  ['quality', oneOf('quality', 'auto', 'standard', 'low', 'medium')],
  ['input_fidelity', oneOf('input_fidelity', 'low')],
  ['modalities', (value) => (isListOf(value, (item) => MODALITIES.has(item)) ? undefined : 'modalities')],
  ['reasoning', (value) => (hasOnly(value, REASONING_FIELDS) ? undefined : 'reasoning')],
  ['context_management', (value) => (isListOfEdits(value) ? undefined : 'context_management')],
]);

const MODALITIES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio']);
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  ...['effort', 'max_tokens', 'enabled', 'exclude', 'summary', 'generate_summary'],
]);

/** Anthropic's edits that leave parts out are free; a compaction asks the model once more. */
function isListOfEdits(value: unknown): boolean {
  const edits = hasOnly(value, new Set(['edits'])) ? (value['edits'] ?? []) : undefined;
  return isListOf(edits, (edit) => isJsonObject(edit) && String(edit['type']).startsWith('clear_'));
}

const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'function', 'custom', 'name', 'description', 'parameters', 'input_schema', 'strict', 'input_examples'],
  ...['cache_control', 'eager_input_streaming', 'allowed_callers', 'defer_loading'],
  // Anthropic's tools that the client runs.
  ...['display_width_px', 'display_height_px', 'display_number', 'enable_zoom', 'max_characters'],
]);
/** Types of tools that the client runs. All others are run by the host, which may charge for them. */
const FREE_TOOL = /^(?:function|custom|(?:bash|text_editor|computer|memory)_\d{8})$/;

function findPaidTool(tools: unknown, isFree: IsFreeField): string | undefined {
  if (!Array.isArray(tools)) return 'tools';
  for (const tool of tools) {
    if (!isJsonObject(tool)) return 'tools';
    const type = tool['type'] ?? 'function';
    const field = Object.keys(tool).find((name) => !TOOL_FIELDS.has(name));
    const paid = typeof type === 'string' && FREE_TOOL.test(type) ? field : String(type);
    if (paid !== undefined && !isFree(paid)) return `tools.${paid}`;
  }
  return undefined;
}

/** Fields of the content whose tokens are counted or bounded, by the type of the part. Undefined: plain text. */
const CHAT_PARTS: ReadonlyMap<unknown, ReadonlySet<string> | undefined> = new Map([
  ...['text', 'refusal', 'reasoning', 'thinking'].map((type) => [type, undefined] as const),
  ['image_url', new Set(['url', 'detail', 'format', 'mime_type', 'media_type', 'min_pixels', 'max_pixels'])],
  ['input_audio', new Set(['data', 'format'])],
  ['file', new Set(['file_data', 'filename', 'format', 'mime_type'])],
]);
/** Fields of a part beside that of its type. By others, a host may find more content: `video_url`, `file_id`. */
const PART_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'text', 'summary', 'signature', 'encrypted_content', 'id', 'index', 'format', 'status', 'detail', 'uuid'],
  ...['annotations', 'citations', 'logprobs', 'cache_control'],
]);
const MESSAGES_PARTS: ReadonlySet<unknown> = new Set([
  ...['text', 'search_result', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'],
]);
/** Sources of Anthropic's images and documents. Files that a host stores may have any length. */
const SOURCES: ReadonlySet<unknown> = new Set(['base64', 'url', 'text', 'content']);

function findPaidPart(messages: unknown, isFree: IsFreeField, dialect: Dialect | undefined): string | undefined {
  const isFreePart = dialect === 'messages' ? isFreeBlock : isFreeChatPart;
  const findIn = (content: unknown): string | undefined => {
    for (const part of Array.isArray(content) ? content : []) {
      if (!isJsonObject(part)) continue;
      const type = String(part['type']);
      if (!isFreePart(part) && !isFree(type)) return `messages.${type}`;
      const inner = type === 'tool_result' ? findIn(part['content']) : undefined;
      if (inner !== undefined) return inner;
    }
    return undefined;
  };
  for (const message of Array.isArray(messages) ? messages : []) {
    const { content, audio } = isJsonObject(message) ? message : {};
    // An earlier answer by its id, of any length.
    if (isSet(audio) && !isFree('audio')) return 'messages.audio';
    const field = findIn(content);
    if (field !== undefined) return field;
  }
  return undefined;
}

function isFreeChatPart(part: JsonObject): boolean {
  const type = String(part['type']);
  if (!CHAT_PARTS.has(type) || !Object.keys(part).every((name) => name === type || PART_FIELDS.has(name))) return false;
  const names = CHAT_PARTS.get(type);
  const content = part[type];
  if (!names || (type === 'image_url' && typeof content === 'string')) return true;
  if (!hasOnly(content, names)) return false;
  if (type === 'input_audio') return isInline(content['data']);
  return type !== 'file' || typeof content['file_data'] === 'string';
}

/** Returns whether data is in the request: some hosts fetch an address, of a recording of any length. */
function isInline(data: unknown): boolean {
  return typeof data === 'string' && (!data.includes(':') || /^data:/i.test(data));
}

function isFreeBlock({ type, source }: JsonObject): boolean {
  if (type !== 'image' && type !== 'document') return MESSAGES_PARTS.has(type);
  return isJsonObject(source) && SOURCES.has(source['type']);
}

function hasOnly(value: unknown, names: ReadonlySet<string>): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).every((name) => names.has(name));
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function readField({ extraFields, native }: ForwardedFields, name: string): unknown {
  return native?.body[name] ?? extraFields?.[name];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
