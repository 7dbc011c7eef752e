import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

// MCP server started as a program. Its tool reports which environment variables it got.
const server = new McpServer({ name: 'program', version: '1.0.0' });
server.registerTool('environment', { description: 'What I was given', inputSchema: z.object({}) }, () => ({
  content: [
    { type: 'text', text: JSON.stringify({ given: process.env['GIVEN'], notGiven: process.env['NOT_GIVEN'] }) },
  ],
}));
await server.connect(new StdioServerTransport());
