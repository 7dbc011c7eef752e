import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { createHttpAgent, HttpSizeError, HttpTimeoutError, openHttp } from '../../lib/http/http-client.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { createWebSearch, type WebSearch } from '../web-search/index.ts';
import { createCalculatorTool } from './built-in/calculator-tool.ts';
import { createCurrentTimeTool } from './built-in/current-time-tool.ts';
import { createWebPageTool, type WebPageToolDeps } from './built-in/web-page-tool.ts';
import { createWebSearchTool } from './built-in/web-search-tool.ts';
import { findPermission } from './find-permission.ts';
import { guessActivity, guessSubject } from './guess-activity.ts';
import { createMcpSource } from './mcp/mcp-source.ts';
import { type Tool, ToolError } from './tool.ts';
import type { ToolSource, ToolSourceStatus } from './tool-source.ts';
import type { BuiltInTool, FunctionEndpointConfig, ToolSourceConfig, ToolsConfig } from './tools-config.ts';

/** The tools that models can call in chats. */
export type Toolbox = ReturnType<typeof createToolbox>;

export interface ToolboxDeps extends WebPageToolDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

const START_MS = 5000;
/** OpenAI allows 128 tools in one request. */
const MAX_TOOLS = 120;

export function createToolbox(deps: ToolboxDeps, first: ToolsConfig) {
  const own: Partial<Record<BuiltInTool, Tool>> = {
    calculator: createCalculatorTool(),
    current_time: createCurrentTimeTool(deps),
    read_web_page: createWebPageTool(deps),
  };
  let opened = open(deps, first);
  /** Replaced configurations, each with a function that cancels the timer for closing it. */
  const retired = new Map<Opened, () => void>();
  /** Returns the tool with the permission that the settings give to the built-in tool of its name. */
  const withPermission = (tool: Tool & { readonly name: BuiltInTool }): Tool => ({
    ...tool,
    permission: findPermission(opened.config.askForBuiltIn, tool.name, tool.permission ?? 'never'),
  });
  const listBuiltIn = () =>
    opened.config.builtIn.flatMap((name) => {
      const tool = name === 'web_search' ? createWebSearchTool(opened.webSearch) : own[name];
      return tool ? [withPermission({ ...tool, name })] : [];
    });

  /**
   * Lists the tools of one answer, built-in ones first, with unique names. Tools that the bot adds for a chat
   * (`draw_picture`) are not included.
   */
  const list = (): readonly Tool[] => toUniqueNames(listBuiltIn(), opened.sources, opened.config.builtIn);

  return {
    list,
    hasBuiltIn: (name: BuiltInTool): boolean => opened.config.builtIn.includes(name),
    withPermission,
    /** Lists the names of all tools, including those that the bot adds. */
    listNames: (): readonly string[] => [...new Set([...opened.config.builtIn, ...list().map(({ name }) => name)])],
    get limits() {
      return opened.config.limits;
    },
    /** Status of the sources that the operator has added, in the order of the settings. */
    sources: (): readonly ToolSourceStatus[] =>
      opened.sources.map((source) => ({
        name: source.name,
        toolNames: source.list().map(({ name }) => name),
        lastError: source.lastError,
      })),
    /** Searches once with each web search service. */
    checkWebSearch: (signal: AbortSignal): ReturnType<WebSearch['check']> => opened.webSearch.check(signal),
    /** Loads the tools of all sources. Waits about five seconds at most; slower sources continue in the background. */
    start: (): Promise<void> => startAll(deps, opened.sources),
    /**
     * Replaces the configuration. New answers use it when this resolves; running answers keep the tools that they started
     * with.
     */
    async replace(config: ToolsConfig): Promise<void> {
      const [previous, { limits }] = [opened, opened.config];
      const next = open(deps, config);
      await startAll(deps, next.sources);
      opened = next;
      const retire = () => {
        retired.delete(previous);
        void closeAll(deps, previous);
      };
      retired.set(previous, deps.clock.setTimer(limits.totalMs + limits.callTimeoutMs, retire));
    },
    async close(): Promise<void> {
      for (const cancelTimer of retired.values()) cancelTimer();
      await Promise.all([opened, ...retired.keys()].map((those) => closeAll(deps, those)));
      retired.clear();
    },
  };
}

/** A configuration with its connections. */
interface Opened {
  readonly config: ToolsConfig;
  readonly sources: readonly ToolSource[];
  readonly webSearch: WebSearch;
}

function open(deps: ToolboxDeps, { webSearch = [], ...config }: ToolsConfig): Opened {
  const builtIn = config.builtIn.filter((name) => name !== 'web_search' || webSearch.length > 0);
  return {
    config: { ...config, builtIn },
    sources: config.sources.map((source) => createSource(deps, source)),
    webSearch: createWebSearch(deps, webSearch),
  };
}

function createSource(deps: ToolboxDeps, config: ToolSourceConfig): ToolSource {
  return config.kind === 'mcp' ? createMcpSource(deps, config) : createFunctionSource(deps, config);
}

async function startAll({ clock }: ToolboxDeps, sources: readonly ToolSource[]): Promise<void> {
  if (sources.length === 0) return;
  const patience = Promise.withResolvers<void>();
  const cancelTimer = clock.setTimer(START_MS, patience.resolve);
  await Promise.race([Promise.all(sources.map((source) => source.start())), patience.promise]);
  cancelTimer();
}

async function closeAll({ logger }: ToolboxDeps, { sources, webSearch }: Opened): Promise<void> {
  const outcomes = await Promise.allSettled([...sources, webSearch].map((source) => source.close()));
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') logger.warn({ reason: describeError(outcome.reason) }, 'tools failed to close');
}

/**
 * Makes tool names unique: the first tool of a name keeps it, further ones get the name of their source as a prefix.
 */
function toUniqueNames(builtIn: readonly Tool[], sources: readonly ToolSource[], reserved: readonly string[]): Tool[] {
  const tools = new Map(builtIn.map((tool) => [tool.name, tool]));
  for (const source of sources) {
    for (const tool of source.list()) {
      if (tools.size >= MAX_TOOLS) return [...tools.values()];
      const isTaken = tools.has(tool.name) || reserved.includes(tool.name);
      const name = isTaken ? `${source.name}_${tool.name}`.slice(0, 64) : tool.name;
      if (!tools.has(name)) tools.set(name, name === tool.name ? tool : { ...tool, name });
    }
  }
  return [...tools.values()];
}

const CONNECT_MS = 10_000;
/** The timeout of the tool call is shorter. */
const LONGEST_MS = 600_000;
/** Far more than a model is given; a larger response is an error. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 300;

/**
 * Creates a source with one function behind a URL: the model's arguments are posted there as JSON, and the response
 * body is the result.
 */
function createFunctionSource(deps: { readonly clock: Clock }, config: FunctionEndpointConfig): ToolSource {
  const dispatcher = createHttpAgent({ connectMs: CONNECT_MS });
  const tool: Tool = {
    name: config.name,
    description: config.description,
    parameters: config.parameters,
    activity: guessActivity(config.name),
    describeCall: guessSubject,
    source: config.name,
    permission: findPermission(config.ask, config.name, 'after-foreign-text'),
    hasForeignResults: true,
    run: (parameters, { signal }) =>
      post({ clock: deps.clock, dispatcher }, config, JSON.stringify(parameters), signal),
  };
  return {
    name: config.name,
    list: () => [tool],
    lastError: undefined,
    start: async () => {},
    close: async () => dispatcher.destroy(),
  };
}

async function post(
  deps: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  { url, headers }: FunctionEndpointConfig,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const http = await openHttp(deps, {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain;q=0.9', ...headers },
      body,
      timeouts: { connectMs: CONNECT_MS, startMs: LONGEST_MS, idleMs: LONGEST_MS, totalMs: LONGEST_MS },
      signal,
    });
    try {
      const text = (await http.readAll(MAX_ANSWER_BYTES)).toString('utf8');
      if (http.status >= 200 && http.status < 300) return text;
      throw new ToolError(`it answered with status ${http.status}: ${text.slice(0, MAX_ERROR_CHARACTERS)}`);
    } finally {
      http.close();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof HttpSizeError) throw new ToolError('its answer is too large', { cause: error });
    if (error instanceof HttpTimeoutError) throw new ToolError('it took too long', { cause: error });
    if (error instanceof ToolError) throw error;
    throw new ToolError('it could not be reached', { cause: error });
  }
}
