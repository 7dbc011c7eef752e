import type { Tool as McpTool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../lib/json/json.ts';
import { findPermission } from '../find-permission.ts';
import { guessActivity, guessSubject } from '../guess-activity.ts';
import type { Tool } from '../tool.ts';
import type { McpServerConfig } from '../tools-config.ts';

/** A tool in a server's list. */
export type ListedTool = Pick<McpTool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'>;

type CallMcpTool = (name: string, parameters: JsonObject, signal: AbortSignal) => Promise<string>;

/** Limits for the descriptions, because every request to a model contains all of them. */
const MAX_TOOLS = 64;
const MAX_DESCRIPTION_CHARACTERS = 2000;
const MAX_SCHEMA_CHARACTERS = 16_000;
const MAX_NAME_CHARACTERS = 64;

/**
 * Converts a server's tools. Returns the usable ones and the names of those that were left out: too large, or beyond
 * the maximum number.
 */
export function toTools(
  config: McpServerConfig,
  listed: readonly ListedTool[],
  call: CallMcpTool,
): { readonly usable: readonly Tool[]; readonly left: readonly string[] } {
  const { only } = config;
  const selected = listed.filter(({ name }) => only === undefined || only.includes(name));
  const isTooLarge = (tool: ListedTool) => JSON.stringify(tool.inputSchema).length > MAX_SCHEMA_CHARACTERS;
  const usable = selected.filter((tool) => !isTooLarge(tool)).slice(0, MAX_TOOLS);
  const left = selected.filter((tool) => !usable.includes(tool)).map(({ name }) => name);
  return { usable: usable.map((tool) => toTool(config, tool, call)), left };
}

function toTool(
  { name: source, ask }: McpServerConfig,
  { name, title, description = '', inputSchema, annotations }: ListedTool,
  call: CallMcpTool,
): Tool {
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    // MCP allows more characters in names than providers do.
    name: name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS),
    description: description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    parameters: { ...inputSchema },
    activity: guessActivity(name),
    title: title ?? annotations?.title,
    describeCall: guessSubject,
    source,
    permission: findPermission(ask, name, isReadOnly ? 'never' : 'after-foreign-text'),
    isReadOnly,
    hasForeignResults: true,
    run: (parameters, { signal }) => call(name, parameters, signal),
  };
}
