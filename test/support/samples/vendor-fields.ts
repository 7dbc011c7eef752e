import type { OpenAI } from 'openai';

/** The fields, parts, items and tools of the vendors' APIs, each with a value that is not the usual one. */

const PARAMETERS = { type: 'object', properties: {} };

/** A value for each name. Lists of vendors with types are complete, so that a new name fails here. */
export type Probes<Name extends string = string> = Readonly<Record<Name, unknown>>;

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };
const HINTS = {
  prompt_cache_key: 'k',
  prompt_cache_retention: '24h',
  prompt_cache_options: { mode: 'explicit' },
  safety_identifier: 'id',
  user: 'u',
};

export const CHAT_FIELDS: Probes<
  Exclude<keyof OpenAI.ChatCompletionCreateParams, 'model' | 'messages' | 'tools' | 'stream' | 'stream_options'>
> = {
  ...HINTS,
  audio: { voice: 'alloy', format: 'mp3' },
  frequency_penalty: 0.5,
  function_call: 'auto',
  functions: [{ name: 'look', parameters: PARAMETERS }],
  logit_bias: { 5: 1 },
  logprobs: true,
  max_completion_tokens: 99,
  max_tokens: 99,
  metadata: { a: 'b' },
  modalities: ['text', 'audio'],
  moderation: { model: 'm' },
  n: 2,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: 'a' },
  presence_penalty: 0.5,
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } },
  seed: 1,
  service_tier: 'flex',
  stop: ['END'],
  store: true,
  temperature: 0.5,
  tool_choice: 'required',
  top_logprobs: 2,
  top_p: 0.5,
  verbosity: 'low',
  web_search_options: {},
};

/** The API itself does what these say. */
type OfApi = 'store' | 'background' | 'previous_response_id';
type ResponseField = Exclude<
  keyof OpenAI.Responses.ResponseCreateParams,
  'model' | 'input' | 'tools' | 'stream' | OfApi
>;
/** Those of Open Responses, of chat completions and of Codex. */
type OtherField =
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'seed'
  | 'stop'
  | 'n'
  | 'messages'
  | 'max_tokens'
  | 'client_metadata';
export const RESPONSE_FIELDS: Probes<ResponseField | OtherField> = {
  ...HINTS,
  access_programs: ['a'],
  client_metadata: { a: 'b' },
  context_management: [{ type: 'compaction' }],
  conversation: 'conv_1',
  frequency_penalty: 0.5,
  image: { size: 'auto' },
  include: ['file_search_call.results'],
  instructions: 'Be brief.',
  max_output_tokens: 99,
  max_tokens: 99,
  max_tool_calls: 5,
  messages: [{ role: 'user', content: 'Hello!' }],
  metadata: { a: 'b' },
  moderation: { model: 'm' },
  n: 2,
  parallel_tool_calls: false,
  presence_penalty: 0.5,
  prompt: { id: 'p' },
  reasoning: { effort: 'low' },
  seed: 1,
  service_tier: 'flex',
  stop: ['END'],
  stream_options: { include_obfuscation: false },
  temperature: 0.5,
  text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA } },
  tool_choice: 'required',
  top_logprobs: 2,
  top_p: 0.5,
  truncation: 'auto',
};

export const MESSAGES_FIELDS: Probes = {
  cache_control: { type: 'ephemeral' },
  container: 'c',
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  diagnostics: { previous_message_id: 'm' },
  inference_geo: 'us',
  max_tokens: 99,
  mcp_servers: [{ type: 'url', url: 'https://mcp.example' }],
  metadata: { user_id: 'u' },
  output_config: { effort: 'low' },
  service_tier: 'auto',
  speed: 'fast',
  stop_sequences: ['END'],
  system: 'Be brief.',
  temperature: 0.5,
  thinking: { type: 'enabled', budget_tokens: 2000 },
  thread: 't',
  tool_choice: { type: 'any' },
  top_k: 5,
  top_p: 0.5,
};

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'data:application/pdf;base64,JVBERi0=';
const IMAGE_SOURCE = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const PDF_SOURCE = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };

/** Parts of a message of the user. */
export const CHAT_PARTS: Probes<OpenAI.ChatCompletionContentPart['type'] | 'video_url'> = {
  text: { text: 'More.' },
  image_url: { image_url: { url: PNG } },
  input_audio: { input_audio: { data: 'AAAA', format: 'mp3' } },
  file: { file: { filename: 'a.pdf', file_data: PDF } },
  video_url: { video_url: { url: 'https://video.example' } },
};
export const RESPONSE_PARTS: Probes<OpenAI.Responses.ResponseInputContent['type'] | 'input_audio' | 'file_id'> = {
  input_text: { text: 'More.' },
  input_image: { image_url: PNG },
  input_file: { filename: 'a.pdf', file_data: PDF },
  input_audio: { input_audio: { data: 'AAAA', format: 'mp3' } },
  file_id: { type: 'input_file', file_id: 'f' },
};
export const BLOCKS: Probes = {
  text: { text: 'More.' },
  image: { source: IMAGE_SOURCE },
  document: { source: PDF_SOURCE },
  search_result: { source: 'https://a.example', title: 'A', content: [{ type: 'text', text: 'a' }] },
  citations: { type: 'document', source: PDF_SOURCE, citations: { enabled: true } },
  file_id: { type: 'document', source: { type: 'file', file_id: 'f' } },
  container_upload: { file_id: 'f' },
  mcp_tool_use: { id: 'a', name: 'f', server_name: 's', input: {} },
  server_tool_use: { id: 'a', name: 'web_search', input: {} },
  web_search_tool_result: { tool_use_id: 'a', content: [] },
};

const CALL = { call_id: 'c', name: 'look' };
const OTHER_ITEM = { ...CALL, id: 'i', output: 'a' };
/** Items of earlier answers, or what follows them. */
export const ITEMS: Probes<NonNullable<OpenAI.Responses.ResponseInputItem['type']>> = {
  additional_tools: { role: 'developer', tools: [{ type: 'function', name: 'hear', parameters: PARAMETERS }] },
  apply_patch_call: OTHER_ITEM,
  apply_patch_call_output: OTHER_ITEM,
  code_interpreter_call: OTHER_ITEM,
  compaction: OTHER_ITEM,
  compaction_trigger: OTHER_ITEM,
  computer_call: OTHER_ITEM,
  computer_call_output: OTHER_ITEM,
  configuration_update: OTHER_ITEM,
  custom_tool_call: [
    { ...CALL, input: 'a' },
    { type: 'custom_tool_call_output', ...CALL, output: 'a' },
  ],
  custom_tool_call_output: [
    { ...CALL, output: 'a' },
    { type: 'custom_tool_call', ...CALL, input: 'a' },
  ],
  file_search_call: OTHER_ITEM,
  function_call: [
    { ...CALL, arguments: '{}' },
    { type: 'function_call_output', ...CALL, output: 'a' },
  ],
  function_call_output: [
    { ...CALL, output: 'a' },
    { type: 'function_call', ...CALL, arguments: '{}' },
  ],
  image_generation_call: { id: 'ig', result: 'iVBORw0KGgo=', status: 'completed' },
  item_reference: OTHER_ITEM,
  local_shell_call: OTHER_ITEM,
  local_shell_call_output: OTHER_ITEM,
  mcp_approval_request: OTHER_ITEM,
  mcp_approval_response: OTHER_ITEM,
  mcp_call: OTHER_ITEM,
  mcp_list_tools: OTHER_ITEM,
  message: { role: 'assistant', content: 'More.' },
  program: OTHER_ITEM,
  program_output: OTHER_ITEM,
  reasoning: [
    { summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
    { type: 'function_call', ...CALL, arguments: '{}' },
    { type: 'function_call_output', ...CALL, output: 'a' },
  ],
  shell_call: OTHER_ITEM,
  shell_call_output: OTHER_ITEM,
  tool_search_call: [
    { ...CALL, arguments: {} },
    { type: 'tool_search_output', ...CALL, tools: [] },
  ],
  tool_search_output: [
    { ...CALL, tools: [] },
    { type: 'tool_search_call', ...CALL, arguments: {} },
  ],
  web_search_call: OTHER_ITEM,
};

export const CHAT_TOOLS: Probes<OpenAI.ChatCompletionTool['type']> = {
  function: { function: { name: 'hear', parameters: PARAMETERS } },
  custom: { custom: { name: 'hear' } },
};
const OTHER_TOOL = { server_label: 'a', server_url: 'https://mcp.example' };
export const RESPONSE_TOOLS: Probes<OpenAI.Responses.Tool['type']> = {
  apply_patch: OTHER_TOOL,
  code_interpreter: OTHER_TOOL,
  computer: OTHER_TOOL,
  computer_use_preview: OTHER_TOOL,
  custom: { name: 'hear' },
  file_search: OTHER_TOOL,
  function: { name: 'hear', parameters: PARAMETERS },
  image_generation: OTHER_TOOL,
  local_shell: OTHER_TOOL,
  mcp: OTHER_TOOL,
  namespace: { name: 'ears', tools: [{ type: 'function', name: 'hear', parameters: PARAMETERS }] },
  programmatic_tool_calling: OTHER_TOOL,
  shell: OTHER_TOOL,
  tool_search: { execution: 'client', parameters: PARAMETERS },
  web_search: { external_web_access: true },
  web_search_2025_08_26: OTHER_TOOL,
  web_search_preview: OTHER_TOOL,
  web_search_preview_2025_03_11: OTHER_TOOL,
};
export const MESSAGES_TOOLS: Probes = {
  input_schema: { type: 'custom', input_schema: PARAMETERS },
  input_examples: { type: 'custom', input_schema: PARAMETERS, input_examples: [{ a: 'b' }] },
  bash_20250124: {},
  code_execution_20250825: {},
  memory_20250818: {},
  web_fetch_20250910: {},
  web_search_20250305: {},
};
