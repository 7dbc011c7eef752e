import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Key that the server requires. */
export const MCP_KEY = 'mcp-key-that-nobody-may-see';

/** Creates a server with the tools `web_search`, `fail`, `hang`, `flood` (10 MB) and `calculator`. */
function createSearchServer(): McpServer {
  const server = new McpServer({ name: 'search', version: '1.0.0' });
  const inputSchema = z.object({ query: z.string() });
  server.registerTool('web_search', { title: 'Search', description: 'Searches the web', inputSchema }, ({ query }) => ({
    content: [
      { type: 'text', text: `Found ${query}` },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://example.org/fox', name: 'The fox' },
    ],
  }));
  server.registerTool('fail', { description: 'Fails', inputSchema: z.object({}) }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'the quota is used up' }],
  }));
  server.registerTool('hang', { description: 'Hangs', inputSchema: z.object({}) }, () => new Promise(() => {}));
  server.registerTool('flood', { description: 'Says 10 MB', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'x'.repeat(10_000_000) }],
  }));
  server.registerTool('calculator', { description: 'Has a taken name', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'theirs' }],
  }));
  return server;
}

/**
 * Starts an MCP server over HTTP. With sessions, it stores its clients until `forget`; without, each request gets a new
 * server.
 */
export async function startMcpServer({
  port = 0,
  hasSessions = false,
  addTools = () => {},
}: {
  readonly port?: number;
  readonly hasSessions?: boolean;
  /** Adds tools to the default ones. */
  readonly addTools?: (server: McpServer) => void;
} = {}) {
  const requests: { readonly authorization: string | undefined }[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const open = async (response: ServerResponse) => {
    const server = createSearchServer();
    addTools(server);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: hasSessions ? () => randomUUID() : undefined,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    if (!hasSessions) response.on('close', () => void server.close());
    await server.connect(transport);
    return transport;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ authorization: request.headers.authorization });
    if (request.headers.authorization !== `Bearer ${MCP_KEY}`) return void response.writeHead(401).end();
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? sessions.get(id) : await open(response);
    if (!transport) return void response.writeHead(404).end();
    await transport.handleRequest(request, response);
  };
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    requests,
    sessionCount: () => sessions.size,
    forget: () => sessions.clear(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
