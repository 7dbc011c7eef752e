import type { FieldNames } from '../fields/field-names.ts';

/** Fields of the Responses API. */
export const RESPONSES_FIELDS: FieldNames = [
  [/^messages\b.*$/, 'input'],
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^response_format(?:\.json_schema)?/, 'text.format'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^verbosity$/, 'text.verbosity'],
  [/^max_(?:completion_)?tokens$/, 'max_output_tokens'],
  [/^logprobs$/, 'top_logprobs'],
];
