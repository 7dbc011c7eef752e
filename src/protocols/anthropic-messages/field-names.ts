import type { FieldNames } from '../fields/field-names.ts';

/** Fields of the Messages API. */
export const MESSAGES_FIELDS: FieldNames = [
  [/^tools\[(\d+)\]\.function\.parameters\b/, 'tools[$1].input_schema'],
  [/^tools\[(\d+)\]\.function\b/, 'tools[$1]'],
  [/^tool_choice\.function\b/, 'tool_choice'],
  [/^parallel_tool_calls$/, 'tool_choice.disable_parallel_tool_use'],
  [/^response_format(?:\.json_schema)?/, 'output_config.format'],
  [/^reasoning_effort$/, 'output_config.effort'],
  [/^max_completion_tokens$/, 'max_tokens'],
  [/^stop$/, 'stop_sequences'],
];
