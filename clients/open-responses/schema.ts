import { z } from 'zod';

/** Version of Open Responses (https://www.openresponses.org) that the schemas are of. */
export const SPECIFICATION = '2026-04-24';

// What a response and the events of a stream must have.

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);
const logprob = z.looseObject({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()),
  top_logprobs: z.array(z.looseObject({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) })),
});
const annotation = z.looseObject({
  type: z.literal('url_citation'),
  url: z.string(),
  start_index: z.int(),
  end_index: z.int(),
  title: z.string(),
});

const outputText = z.looseObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(annotation),
  logprobs: z.array(logprob).optional(),
});
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const summaryText = z.looseObject({ type: z.literal('summary_text'), text: z.string() });
const reasoningText = z.looseObject({ type: z.literal('reasoning_text'), text: z.string() });
const contentPart = z.discriminatedUnion('type', [outputText, refusal, summaryText, reasoningText]);

const message = z.looseObject({
  type: z.literal('message'),
  id: z.string().min(1),
  status: itemStatus,
  role: z.literal('assistant'),
  content: z.array(contentPart),
});
const functionCall = z.looseObject({
  type: z.literal('function_call'),
  id: z.string().min(1),
  call_id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
  status: itemStatus,
});
const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  id: z.string().min(1),
  status: itemStatus,
  summary: z.array(contentPart),
  content: z.array(contentPart).optional(),
  encrypted_content: z.string().optional(),
});
const item = z.discriminatedUnion('type', [message, functionCall, reasoning]);

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});
const toolChoiceValue = z.enum(['none', 'auto', 'required']);
const functionChoice = z.looseObject({ type: z.literal('function'), name: z.string().optional() });

const text = z.looseObject({
  format: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      name: z.string(),
      description: z.string().nullable(),
      schema: z.unknown(),
      strict: z.boolean(),
    }),
  ]),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
});

const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
});

/** The response object. */
export const openResponseSchema = z.looseObject({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(functionTool),
  tool_choice: z.union([
    toolChoiceValue,
    functionChoice,
    z.looseObject({ type: z.literal('allowed_tools'), tools: z.array(functionChoice), mode: toolChoiceValue }),
  ]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text,
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z
    .looseObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullable(),
      summary: z.enum(['concise', 'detailed', 'auto']).nullable(),
    })
    .nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.looseObject({ type: z.literal(type), sequence_number: z.int(), ...fields });
const lifecycle = <Type extends string>(type: Type) => event(type, { response: openResponseSchema });
const inItem = { item_id: z.string().min(1), output_index: z.int() };
const inContent = { ...inItem, content_index: z.int() };
const inSummary = { ...inItem, summary_index: z.int() };
const logprobs = z.array(logprob).optional();

/** The events of a stream. */
export const openResponseEventSchema = z.discriminatedUnion('type', [
  lifecycle('response.created'),
  lifecycle('response.in_progress'),
  lifecycle('response.completed'),
  lifecycle('response.incomplete'),
  lifecycle('response.failed'),
  event('response.output_item.added', { output_index: z.int(), item }),
  event('response.output_item.done', { output_index: z.int(), item }),
  event('response.content_part.added', { ...inContent, part: contentPart }),
  event('response.content_part.done', { ...inContent, part: contentPart }),
  event('response.output_text.delta', { ...inContent, delta: z.string(), logprobs }),
  event('response.output_text.done', { ...inContent, text: z.string(), logprobs }),
  event('response.output_text.annotation.added', { ...inContent, annotation_index: z.int(), annotation }),
  event('response.refusal.delta', { ...inContent, delta: z.string() }),
  event('response.refusal.done', { ...inContent, refusal: z.string() }),
  event('response.reasoning_summary_part.added', { ...inSummary, part: contentPart }),
  event('response.reasoning_summary_part.done', { ...inSummary, part: contentPart }),
  event('response.reasoning_summary_text.delta', { ...inSummary, delta: z.string() }),
  event('response.reasoning_summary_text.done', { ...inSummary, text: z.string() }),
  event('response.function_call_arguments.delta', { ...inItem, delta: z.string() }),
  event('response.function_call_arguments.done', { ...inItem, arguments: z.string() }),
  event('error', {
    error: z.looseObject({
      type: z.string(),
      code: z.string().nullable(),
      message: z.string(),
      param: z.string().nullable(),
    }),
  }),
]);
export type OpenResponse = z.infer<typeof openResponseSchema>;
export type OpenResponseEvent = z.infer<typeof openResponseEventSchema>;
