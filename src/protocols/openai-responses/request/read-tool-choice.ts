import { z } from 'zod';
import type { ToolChoice, ToolDefinition } from '../../../core/models/contract/chat-request.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { invalidRequest } from '../../http-error.ts';
import { toToolName } from '../tool-names.ts';
import type { OfferedTools } from './read-tools.ts';

/** The tools that the model sees, and which of them it must call. */
export interface ToolSelection {
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
}

const namedSchema = z.looseObject({
  name: z.string('must be the name of a tool'),
  namespace: z.string('must be a string').nullish(),
});
const allowedSchema = z.looseObject({
  mode: z.enum(['auto', 'none', 'required'], "must be 'auto', 'none' or 'required'").nullish(),
  tools: z.array(z.unknown(), 'must be a list of tools').min(1, 'must hold at least one tool'),
});

/**
 * Reads `tool_choice`. With `allowed_tools`, the model sees only those.
 * @throws HttpError 400
 */
export function readToolChoice(choice: unknown, { byName }: OfferedTools): ToolSelection {
  const tools = byName.size === 0 ? undefined : [...byName.values()].map(({ definition }) => definition);
  if (choice === undefined || choice === null) return { tools, toolChoice: undefined };
  if (choice === 'auto' || choice === 'none' || choice === 'required') {
    if (choice === 'required' && !tools) throw invalidRequest("'tool_choice' requires 'tools'.", 'tool_choice');
    // Hosts refuse a choice among no tools.
    return { tools, toolChoice: tools && choice };
  }
  if (!isJsonObject(choice)) {
    throw invalidRequest("'tool_choice' must be 'auto', 'none', 'required' or an object.", 'tool_choice');
  }
  if (choice['type'] !== 'allowed_tools') return { tools, toolChoice: findNamed(choice, 'tool_choice', byName) };
  const { mode, tools: named } = checkFields(allowedSchema, choice, 'tool_choice');
  const allowed = new Set(named.map((tool, index) => findNamed(tool, `tool_choice.tools[${index}]`, byName).name));
  return { tools: tools?.filter(({ name }) => allowed.has(name)), toolChoice: mode ?? 'auto' };
}

function findNamed(tool: unknown, path: string, byName: OfferedTools['byName']): { readonly name: string } {
  const type = isJsonObject(tool) ? tool['type'] : undefined;
  if (type !== 'function' && type !== 'custom') {
    throw invalidRequest(`'${path}.type' must be 'function' or 'custom'.`, `${path}.type`);
  }
  const { name: given, namespace } = checkFields(namedSchema, tool, path);
  const name = toToolName(given, namespace);
  if (!byName.has(name)) throw invalidRequest(`'${path}.name' is not the name of a tool in 'tools'.`, `${path}.name`);
  return { name };
}
