import { z } from 'zod';
import type { ToolDefinition } from '../../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { MAX_TOOL_CHARACTERS } from '../../fields/field-schemas.ts';
import { invalidRequest } from '../../http-error.ts';
import { CUSTOM_PARAMETERS, SEARCH_NAME, toolNameSchema, toToolName } from '../tool-names.ts';
import { PREVIOUS_PATH } from './read-items.ts';

/** A tool that the model may call. */
export interface OfferedTool {
  /** Function for the model; custom tools are functions with one parameter, `input`. */
  readonly definition: ToolDefinition;
  /** `search`: finds tools that the client offers later. */
  readonly kind: 'function' | 'custom' | 'search';
  /** The client's names. */
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface OfferedTools {
  /** By the model's name of the tool. */
  readonly byName: ReadonlyMap<string, OfferedTool>;
  /** The tools of `tools` as the response repeats them. */
  readonly echo: readonly JsonObject[];
}

const MAX_TOOLS = 5000;

const describedSchema = z.looseObject({ name: toolNameSchema, description: z.string('must be a string').nullish() });
const functionSchema = describedSchema.extend({
  parameters: z.looseObject({}, 'must be a JSON Schema of an object').nullish(),
  strict: z.boolean('must be true or false').nullish(),
});
const grammarSchema = z.looseObject({
  type: z.enum(['text', 'grammar'], "must be 'text' or 'grammar'"),
  syntax: z.string('must be a string').nullish(),
  definition: z.string('must be a string').nullish(),
});
const customSchema = describedSchema.extend({ format: grammarSchema.nullish() });
const namespaceSchema = describedSchema.extend({ tools: z.array(z.unknown(), 'must be a list of tools') });

/**
 * Reads `tools`, and the tools of `additional_tools` and `tool_search_output` items.
 * @param previous items of the responses that the request continues.
 * @throws HttpError 400 that names the invalid field.
 */
export function readTools(tools: unknown, input: unknown, previous: readonly unknown[]): OfferedTools {
  const reader = new ToolReader();
  const echo = reader.readList(tools ?? [], 'tools', undefined);
  reader.readItems(previous, PREVIOUS_PATH);
  reader.readItems(input, 'input');
  return { byName: reader.byName, echo };
}

/** Items that offer tools. */
const TYPES_WITH_TOOLS: readonly unknown[] = ['additional_tools', 'tool_search_output'];

class ToolReader {
  readonly byName = new Map<string, OfferedTool>();
  #schemaCharacters = 0;
  #toolCount = 0;

  readItems(items: unknown, path: string): void {
    for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
      if (!isJsonObject(item) || !TYPES_WITH_TOOLS.includes(item['type'])) continue;
      this.readList(item['tools'], `${path}[${index}].tools`, undefined);
    }
  }

  /** Returns the tools that were not left out. */
  readList(tools: unknown, path: string, namespace: string | undefined): readonly JsonObject[] {
    if (!Array.isArray(tools)) throw invalidRequest(`'${path}' must be a list of tools.`, path);
    return tools.flatMap((tool: unknown, index): readonly JsonObject[] => {
      const echo = this.#readTool(tool, `${path}[${index}]`, namespace);
      return echo ? [echo] : [];
    });
  }

  #readTool(tool: unknown, path: string, namespace: string | undefined): JsonObject | undefined {
    if (!isJsonObject(tool)) throw invalidRequest(`'${path}' must be an object.`, path);
    this.#toolCount += 1;
    if (this.#toolCount > MAX_TOOLS) throw invalidRequest(`'${path}' exceeds the maximum of ${MAX_TOOLS} tools.`, path);
    const { type } = tool;
    if (type === 'function') return this.#readFunction(tool, path, namespace);
    if (type === 'custom') return this.#readCustom(tool, path, namespace);
    if (type === 'namespace' && namespace === undefined) return this.#readNamespace(tool, path);
    if (type === 'tool_search' && tool['execution'] === 'client') return this.#readSearch(tool, path);
    if (isOfferedByDefault(tool)) return undefined;
    const message = `'${path}.type' must be 'function', 'custom' or 'namespace': this service runs no tools for the API.`;
    throw invalidRequest(message, `${path}.type`);
  }

  #readFunction(tool: JsonObject, path: string, namespace: string | undefined): JsonObject {
    const { name, description, parameters, strict } = checkFields(functionSchema, tool, path);
    this.#countSchema(parameters, `${path}.parameters`);
    this.#add({ name, namespace, kind: 'function' }, { description, parameters, strict });
    return {
      ...tool,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? false,
    };
  }

  #readCustom(tool: JsonObject, path: string, namespace: string | undefined): JsonObject {
    const { name, description, format } = checkFields(customSchema, tool, path);
    this.#countSchema(format, `${path}.format`);
    const grammar =
      format?.type === 'grammar'
        ? `The input must match this ${format.syntax ?? ''} grammar:\n${format.definition ?? ''}`
        : 'The input is free text.';
    const words = description ? `${description}\n\n${grammar}` : grammar;
    this.#add({ name, namespace, kind: 'custom' }, { description: words, parameters: CUSTOM_PARAMETERS });
    return tool;
  }

  #readSearch(tool: JsonObject, path: string): JsonObject {
    const { description, parameters } = checkFields(functionSchema.omit({ name: true }), tool, path);
    this.#countSchema(parameters, `${path}.parameters`);
    this.#add({ name: SEARCH_NAME, kind: 'search' }, { description, parameters });
    return tool;
  }

  /** The description of a namespace goes before that of its first tool. */
  #readNamespace(tool: JsonObject, path: string): JsonObject {
    const { name, description, tools } = checkFields(namespaceSchema, tool, path);
    const described = tools.map((one, index) => {
      if (index > 0 || !description || !isJsonObject(one)) return one;
      const own = one['description'];
      return { ...one, description: typeof own === 'string' ? `${description}\n\n${own}` : description };
    });
    this.readList(described, `${path}.tools`, name);
    return tool;
  }

  #add(
    tool: Pick<OfferedTool, 'name' | 'namespace' | 'kind'>,
    { description, parameters, strict }: Partial<z.infer<typeof functionSchema>>,
  ): void {
    const name = toToolName(tool.name, tool.namespace);
    const definition: ToolDefinition = {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      isStrict: strict === true ? true : undefined,
    };
    this.byName.set(name, { ...tool, definition });
  }

  #countSchema(schema: unknown, path: string): void {
    this.#schemaCharacters += JSON.stringify(schema ?? null).length;
    if (this.#schemaCharacters > MAX_TOOL_CHARACTERS) {
      const message = `The schemas of the tools, up to '${path}', are longer than ${MAX_TOOL_CHARACTERS} characters.`;
      throw invalidRequest(message, path);
    }
  }
}

/**
 * Returns true for a tool that is left out. Codex offers `web_search` in each request, and always with
 * `external_web_access`; its models can do without.
 */
function isOfferedByDefault({ type, external_web_access: access }: JsonObject): boolean {
  return type === 'web_search' && typeof access === 'boolean';
}
