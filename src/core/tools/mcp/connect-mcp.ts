import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, FetchLike, Transport } from '@modelcontextprotocol/client';
import { leaveOnAbort } from '../../../lib/leave-on-abort.ts';
import type { McpServerConfig } from '../tools-config.ts';
import type { ListedTool } from './to-tools.ts';

export interface McpConnectionOptions {
  readonly signal: AbortSignal;
  /** The server says that its list has changed, and to what. */
  readonly onTools: (tools: readonly ListedTool[]) => void;
  /** It is of no use any more, or says more than anybody can bear: it must be closed. */
  readonly onLost: () => void;
}

const CONNECT_TIMEOUT_MS = 20_000;
/** Of one answer, or of one stream of events. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of a list, each of which may have that size. The library's own bound is 64. */
const MAX_LIST_PAGES = 8;
const SQUARE_BRACKET = 0x5b;

/**
 * Opens a connection to a server. The library is loaded here, because most services need none of it.
 * @throws what the library throws; the signal's reason.
 */
export async function connectMcp(
  config: McpServerConfig,
  { signal, onTools, onLost }: McpConnectionOptions,
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
    const opening = client.connect(await createTransport(config, onLost), { timeout: CONNECT_TIMEOUT_MS, signal });
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
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({
    command: reach.command,
    args: [...reach.args],
    env: { ...getDefaultEnvironment(), ...reach.env },
    // Nobody knows what it writes there: it may be what people have asked.
    stderr: 'ignore',
    maxBufferSize: MAX_BYTES,
  });
}

/**
 * The library reads answers whole, however large they are: here they end. By itself it would only ask for the rest. Batches end, too:
 * the client sends none, and the library would handle their messages in one go. Other work has its turn after each chunk.
 */
function createBoundedFetch(onRefused: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    let size = 0;
    let first: number | undefined;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        // After white space and a byte order mark.
        first ??= bytes.find((byte) => byte > 0x20 && byte < 0x80);
        const isBatch = first === SQUARE_BRACKET;
        size += bytes.length;
        if (size <= MAX_BYTES && !isBatch) {
          controller.enqueue(bytes);
          return nextTurn();
        }
        controller.error(new Error(isBatch ? 'the answer is a batch' : `the answer is larger than ${MAX_BYTES} bytes`));
        // What waits for the answer hears this reason before the connection ends.
        setImmediate(onRefused);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}
