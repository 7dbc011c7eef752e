import { z } from 'zod';
import type { ToolChoice, ToolDefinition } from '../../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { MAX_TOOL_CHARACTERS } from '../../fields/field-schemas.ts';
import { invalidRequest } from '../../http-error.ts';
import { readCached } from './read-blocks.ts';
import type { CountRequest } from './request-schema.ts';
import type { TranslationProblems } from './untranslatable.ts';

const toolSchema = z.looseObject({
  name: z
    .string('must be the name of a tool')
    .regex(/^[\w-]{1,128}$/, 'must be the name of a tool: 1 to 128 letters, digits, "_" and "-"'),
  description: z.string('must be a string').nullish(),
  input_schema: z.looseObject({}, 'must be a JSON Schema of an object'),
  strict: z.boolean('must be true or false').nullish(),
  input_examples: z.array(z.looseObject({}), 'must be a list of objects').nullish(),
});

const KNOWN_FIELDS = new Set([
  ...['name', 'description', 'input_schema', 'strict', 'input_examples', 'type'],
  ...['cache_control', 'eager_input_streaming', 'allowed_callers'],
]);

/**
 * Reads the tools of the client. Tools of Anthropic, such as `web_search_20250305` and `bash_20250124`, have no
 * translation.
 * @returns undefined for no tools, because hosts refuse an empty list.
 * @throws HttpError 400 that names the invalid field.
 */
export function readTools(
  tools: CountRequest['tools'],
  problems: TranslationProblems,
): readonly ToolDefinition[] | undefined {
  if (!tools || tools.length === 0) return undefined;
  let characters = 0;
  return tools.flatMap((tool, index) => {
    const path = `tools[${index}]`;
    characters += JSON.stringify(tool).length;
    if (characters > MAX_TOOL_CHARACTERS) {
      throw invalidRequest(`'${path}' exceeds the maximum of ${MAX_TOOL_CHARACTERS} characters for all tools.`, path);
    }
    return readTool(tool, path, problems);
  });
}

function readTool(tool: JsonObject, path: string, problems: TranslationProblems): readonly ToolDefinition[] {
  const type = tool['type'] ?? 'custom';
  if (type !== 'custom') {
    problems.addUnsupported(`${path}.type`, String(type));
    return [];
  }
  const fields = checkFields(toolSchema, tool, path);
  const { name, input_schema: parameters, strict } = fields;
  problems.addUnknown(tool, KNOWN_FIELDS, `${path}.`);
  if (Array.isArray(tool['allowed_callers']) && tool['allowed_callers'].some((caller) => caller !== 'direct')) {
    problems.addUnsupported(`${path}.allowed_callers`);
  }
  return [{ name, description: toDescription(fields), parameters, isStrict: strict || undefined, ...readCached(tool) }];
}

function toDescription({ description, input_examples: examples }: z.infer<typeof toolSchema>): string | undefined {
  if (!examples || examples.length === 0) return description ?? undefined;
  const list = examples.map((example) => JSON.stringify(example)).join('\n');
  return `${description ? `${description}\n\n` : ''}Examples of the input:\n${list}`;
}

/** @throws HttpError 400 */
export function readToolChoice(choice: CountRequest['tool_choice']): ToolChoice | undefined {
  if (!choice) return undefined;
  switch (choice.type) {
    case 'any':
      return 'required';
    case 'tool':
      if (choice.name) return { name: choice.name };
      throw invalidRequest("'tool_choice.name' must be the name of a tool.", 'tool_choice.name');
    default:
      return choice.type;
  }
}
