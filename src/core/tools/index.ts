export { containsAddress } from './contains-address.ts';
export { createToolbox, type Toolbox, type ToolboxDeps } from './create-toolbox.ts';
export { runTool } from './run-tool.ts';
export { type Tool, type ToolContext, ToolError, type ToolQuestion } from './tool.ts';
export type { ToolSourceStatus } from './tool-source.ts';
export {
  BUILT_IN_TOOLS,
  type BuiltInTool,
  DEFAULT_TOOL_LIMITS,
  DEFAULT_TOOLS_CONFIG,
  type ToolLimits,
  type ToolSourceConfig,
  type ToolsConfig,
} from './tools-config.ts';
