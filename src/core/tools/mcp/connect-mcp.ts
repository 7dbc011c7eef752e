import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Client, FetchLike, PriorDiscovery, Transport } from '@modelcontextprotocol/client';
import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import { JsonMeter } from '../../../lib/json/find-json-excess.ts';
import type { McpServerConfig } from '../tools-config.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { ListedTool } from './to-tools.ts';

export interface McpConnectionParams {
  readonly signal: AbortSignal;
  /** Called with the new list when the server reports a change. */
  readonly onTools: (tools: readonly ListedTool[]) => void;
  /** Called when the connection is lost, or a response was too large: the connection must be closed. */
  readonly onLost: () => void;
}

const CONNECT_TIMEOUT_MS = 20_000;
/** Limit for one response, or one stream of events. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Pages of a tool list; each may have `MAX_BYTES`. The library's own limit is 64. */
const MAX_LIST_PAGES = 8;
/** The library parses and checks a message at once. A list of 100 tools has about 10,000 values. */
const JSON_LIMITS = { depth: 128, values: 40_000, names: 5000 };
const SQUARE_BRACKET = 0x5b;

/**
 * Opens a connection to a server. Loads the library on demand, because most installations don't use it.
 * @throws errors of the library; the signal's reason.
 */
export async function connectMcp(
  config: McpServerConfig,
  { signal, onTools, onLost }: McpConnectionParams,
): Promise<Client> {
  try {
    return await connect(config, { signal, onTools, onLost });
  } catch (error) {
    const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
    const isProbed = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (config.reach.kind !== 'command' || !isProbed || signal.aborted) throw error;
    // Some older programs end at the first question of newer clients, which is for their version.
    return connect(config, { signal, onTools, onLost, prior: { kind: 'legacy' } });
  }
}

async function connect(
  config: McpServerConfig,
  { signal, onTools, onLost, prior }: McpConnectionParams & { readonly prior?: PriorDiscovery },
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  signal.throwIfAborted();
  const client = new Client(
    { name: 'switchboard', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      listMaxPages: MAX_LIST_PAGES,
      listChanged: { tools: { onChanged: (error, tools) => void (!error && tools && onTools(tools)) } },
    },
  );
  try {
    const options = { timeout: CONNECT_TIMEOUT_MS, signal, ...(prior && { prior }) };
    const opening = client.connect(await createTransport(config, onLost), options);
    await leaveOnAbort(opening, signal);
    client.onclose = onLost;
    return client;
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
}

async function createTransport({ reach }: McpServerConfig, onRefused: () => void): Promise<Transport> {
  if (reach.kind === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(reach.url), {
      requestInit: { headers: { ...reach.headers } },
      fetch: createBoundedFetch(onRefused),
    });
  }
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { parseJSONRPCMessage } = await import('@modelcontextprotocol/client');
  return new StdioTransport({
    command: reach.command,
    args: reach.args,
    env: { ...getDefaultEnvironment(), ...reach.env },
    maxBytes: MAX_BYTES,
    limits: JSON_LIMITS,
    parse: parseJSONRPCMessage,
  });
}

/**
 * Limits the size and the values of responses: the library reads them whole and would only reconnect for the rest.
 * Rejects batches: the client sends none, and the library would handle all messages of a batch in one turn. Yields to the
 * event loop after each chunk.
 */
function createBoundedFetch(onRefused: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    let size = 0;
    let first: number | undefined;
    const isEventStream = response.headers.get('content-type')?.includes('event-stream') ?? false;
    const meter = new JsonMeter(JSON_LIMITS, isEventStream);
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        // Skips white space and a byte order mark.
        first ??= bytes.find((byte) => byte > 0x20 && byte < 0x80);
        const isBatch = first === SQUARE_BRACKET;
        size += bytes.length;
        const isTooLarge = size > MAX_BYTES;
        const excess = isTooLarge || isBatch ? undefined : meter.add(bytes);
        if (!isTooLarge && !isBatch && !excess) {
          controller.enqueue(bytes);
          return yieldToEventLoop();
        }
        const problem = isBatch ? 'a batch' : excess ? `too large: ${excess}` : `larger than ${MAX_BYTES} bytes`;
        controller.error(new Error(`the answer is ${problem}`));
        // Closes the connection after the pending call has received this error.
        setImmediate(onRefused);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}
