import type { CallToolResult, Client, ContentBlock } from '@modelcontextprotocol/client';
import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { type Tool, ToolError } from '../tool.ts';
import type { ToolSource } from '../tool-source.ts';
import type { McpServerConfig } from '../tools-config.ts';
import { connectMcp } from './connect-mcp.ts';
import { type ListedTool, toTools } from './to-tools.ts';

/** Interval for reloading the tool list: servers without a session can't report changes. */
const REFRESH_MS = 15 * 60_000;
const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 5 * 60_000;
const LIST_TIMEOUT_MS = 20_000;
/** The timeout of the tool call is shorter. */
const CALL_TIMEOUT_MS = 600_000;

/**
 * Creates a source with the tools of an MCP server (Model Context Protocol). A lost connection is reopened by the next
 * call or by the next reload; until then its tools stay in the list.
 */
export function createMcpSource(
  deps: { readonly clock: Clock; readonly logger: Logger },
  config: McpServerConfig,
): ToolSource {
  const { clock, logger } = deps;
  const closing = new AbortController();
  let connected: Promise<Client> | undefined;
  let tools: readonly Tool[] = [];
  let lastError: string | undefined;
  let failures = 0;
  let cancelTimer = () => {};

  const record = (listed: readonly ListedTool[]) => {
    const { usable, left } = toTools(config, listed, call);
    if (left.length > 0)
      logger.warn({ source: config.name, tools: left }, 'tools were left out: their description is too large');
    tools = usable;
  };
  const drop = (client: Promise<Client>) => {
    if (connected === client) connected = undefined;
    // Errors on closing a broken connection do not matter.
    void client.then((open) => open.close()).catch(() => {});
  };
  const connect = (): Promise<Client> => {
    if (connected) return connected;
    const opening = connectMcp(config, {
      signal: closing.signal,
      onTools: record,
      onLost: () => drop(opening),
    });
    connected = opening;
    opening.catch(() => drop(opening));
    return opening;
  };
  const refresh = async () => {
    cancelTimer();
    const client = connect();
    try {
      const open = await client;
      const { tools: listed } = await open.listTools(undefined, { timeout: LIST_TIMEOUT_MS, cacheMode: 'refresh' });
      record(listed);
      lastError = undefined;
      failures = 0;
    } catch (error) {
      if (closing.signal.aborted) return;
      drop(client);
      failures += 1;
      lastError = describeMcpFailure(error, config.secrets);
      logger.warn({ source: config.name, reason: lastError }, 'a tool server does not respond');
    }
    if (closing.signal.aborted) return;
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
    cancelTimer = clock.setTimer(failures === 0 ? REFRESH_MS : retryMs, () => void refresh());
  };

  async function call(name: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const client = connect();
      try {
        const open = await leaveOnAbort(client, signal);
        const options = { signal, timeout: CALL_TIMEOUT_MS };
        return readMcpResult(await open.callTool({ name, arguments: parameters }, options));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ToolError) throw error;
        // The server does not know the session, so it has not executed the call and a retry is safe.
        if (tries === 1 && (await isSessionGone(error))) drop(client);
        else throw new ToolError(describeMcpFailure(error, config.secrets), { cause: error });
      }
    }
  }

  return {
    name: config.name,
    list: () => tools,
    get lastError() {
      return lastError;
    },
    start: refresh,
    async close() {
      closing.abort(new Error('the tools are closed'));
      cancelTimer();
      const client = connected;
      connected = undefined;
      await client?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
}

const MAX_CHARACTERS = 300;

/** Describes an error in one line, without secrets and without URLs, which often contain keys. */
function describeMcpFailure(error: unknown, secrets: readonly string[]): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${describeError(error.cause)}` : '';
  let words = `${describeError(error)}${cause}`.replace(/\s+/g, ' ');
  for (const secret of secrets) {
    for (const spelling of [secret, encodeURIComponent(secret)]) words = words.replaceAll(spelling, '***');
  }
  return words.replace(/\bhttps?:\/\/\S+/g, '(address)').slice(0, MAX_CHARACTERS);
}

/** Returns true if the server does not know the session, or there is no connection: the call was not executed. */
async function isSessionGone(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client');
  if (error instanceof SdkHttpError) return error.status === 404;
  return error instanceof SdkError && error.code === SdkErrorCode.NotConnected;
}

/**
 * Converts the result of a call to text. Content of other types becomes a placeholder.
 * @throws ToolError if the server reports that the call has failed.
 */
function readMcpResult({ content, structuredContent, isError }: CallToolResult): string {
  const contentText = content.map(toText).join('\n\n');
  const text = contentText === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : contentText;
  if (isError) throw new ToolError(text === '' ? 'it failed' : text);
  return text;
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[file ${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'image':
    case 'audio':
      return `[${block.type}]`;
  }
}
