import type { ToolPermission } from './tool.ts';

/**
 * Returns when calls of a tool need permission: as the settings say, else the tool's default.
 * @param ask the setting of the tool's source.
 */
export function findPermission(
  ask: boolean | Readonly<Record<string, boolean>> | undefined,
  name: string,
  usual: ToolPermission,
): ToolPermission {
  const isAsked = typeof ask === 'object' ? (Object.hasOwn(ask, name) ? ask[name] : undefined) : ask;
  if (isAsked === undefined) return usual;
  return isAsked ? 'always' : 'never';
}
