import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  createToolbox,
  DEFAULT_TOOL_LIMITS,
  runTool,
  type Toolbox,
  type ToolSourceConfig,
} from '../../../../src/core/tools/index.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { createRecordingLogger, startToolbox } from '../../../support/harness/foundation.ts';
import { MCP_KEY as KEY, startMcpServer } from '../../../support/hosts/mcp-server.ts';

/** Timeout of calls that are to end by themselves. */
const PATIENCE_MS = 60_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const toConfig = (url: string, more: object = {}): ToolSourceConfig => ({
  kind: 'mcp',
  name: 'search',
  reach: { kind: 'http', url, headers: { authorization: `Bearer ${KEY}` } },
  only: undefined,
  secrets: [KEY],
  ...more,
});

async function openToolbox(sources: readonly ToolSourceConfig[], clock: Clock = systemClock) {
  const { logger, lines } = createRecordingLogger();
  const toolbox = createToolbox({ clock, logger }, { builtIn: ['calculator'], sources, limits: DEFAULT_TOOL_LIMITS });
  closers.push(() => toolbox.close());
  await startToolbox(toolbox);
  const ask = (name: string, parameters = {}, timeoutMs = PATIENCE_MS) => {
    const tool = toolbox.list().find((one) => one.name === name);
    if (!tool) throw new Error(`there is no ${name} among ${toolbox.listNames().join()}`);
    const options = {
      userId: 1,
      hasForeignText: false,
      recordForeignText: () => {},
      addSource: () => {},
      timeoutMs,
      maxCharacters: 1000,
      signal: new AbortController().signal,
    };
    return runTool({ clock: systemClock, logger }, tool, JSON.stringify(parameters), options);
  };
  return { toolbox, ask, lines };
}

async function startStage(more: object = {}, clock?: Clock) {
  const server = await startMcpServer();
  closers.push(() => server.close());
  return { server, ...(await openToolbox([toConfig(server.url, more)], clock)) };
}

const firstError = (toolbox: Toolbox) => toolbox.sources()[0]?.lastError;

describe('the tools of an MCP server', () => {
  it('are listed with the built-in tools, with the source as prefix of a name that is taken', async () => {
    const { toolbox } = await startStage();
    expect(toolbox.listNames()).toEqual(['calculator', 'web_search', 'fail', 'hang', 'flood', 'search_calculator']);
    expect(toolbox.list().find(({ name }) => name === 'web_search')).toMatchObject({
      description: 'Searches the web',
      title: 'Search',
      activity: 'searching',
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    });
  });

  it('can be restricted', async () => {
    const { toolbox } = await startStage({ only: ['web_search'] });
    expect(toolbox.sources()).toEqual([{ name: 'search', toolNames: ['web_search'], lastError: undefined }]);
  });

  it('run and answer in text', async () => {
    const { ask } = await startStage();
    expect(await ask('web_search', { query: 'foxes' })).toBe(
      'Found foxes\n\n[image]\n\n[The fox](https://example.org/fox)',
    );
    expect(await ask('search_calculator')).toBe('theirs');
  });

  it('explain why they fail', async () => {
    const { ask } = await startStage();
    expect(await ask('fail')).toBe('Error: the quota is used up');
    expect(await ask('web_search', {})).toMatch(/^Error: .*query/s);
  });

  it('are aborted when they hang, and cut when their answer is too long', async () => {
    const { ask } = await startStage();
    expect(await ask('hang', {}, 100)).toBe('Error: it took too long');
    expect(await ask('flood')).toMatch(/^Error: .*(larger than|closed)/i);
    expect(await ask('web_search', { query: 'again' })).toMatch(/^Found again/);
  });

  it.each([
    ['2 million values', { list: Array(1_000_000).fill([]) }],
    [
      '49,000 names in one object',
      { names: Object.fromEntries(Array.from({ length: 49_000 }, (_, at) => [`k${at}`, 0])) },
    ],
    ['1,000 levels', JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)],
  ])('fail when their answer has %s, before it is parsed', async (_, structuredContent) => {
    const server = await startMcpServer({
      addTools: (mcp) =>
        mcp.registerTool('crowd', { inputSchema: z.object({}) }, () => ({ content: [], structuredContent })),
    });
    closers.push(() => server.close());
    const { ask } = await openToolbox([toConfig(server.url)]);
    expect(await ask('crowd')).toMatch(/^Error: .*(too large: \w+|closed)/i);
    expect(await ask('web_search', { query: 'again' })).toMatch(/^Found again/);
  });

  it('work again after the server was unavailable', async () => {
    const { server, ask } = await startStage();
    await server.close();
    expect(await ask('web_search', { query: 'foxes' })).toMatch(/^Error: /);
    const next = await startMcpServer({ port: server.port });
    closers.push(() => next.close());
    expect(await ask('web_search', { query: 'foxes' })).toMatch(/^Found foxes/);
  });

  it('continue after the server has lost the session', async () => {
    const server = await startMcpServer({ hasSessions: true });
    closers.push(() => server.close());
    const { ask } = await openToolbox([toConfig(server.url)]);
    expect(await ask('web_search', { query: 'foxes' })).toMatch(/^Found foxes/);
    expect(server.sessionCount()).toBe(1);
    server.forget();
    expect(await ask('web_search', { query: 'owls' })).toMatch(/^Found owls/);
    expect(server.sessionCount()).toBe(1);
  });

  it('are added when the server becomes available later, and no secret is logged', async () => {
    const server = await startMcpServer();
    const { port, url } = server;
    await server.close();
    const fast = {
      ...systemClock,
      setTimer: (ms: number, callback: () => void) => systemClock.setTimer(ms / 50, callback),
    };
    const { toolbox, lines } = await openToolbox([toConfig(`${url}?apiKey=${KEY}`)], fast);
    expect(toolbox.listNames()).toEqual(['calculator']);
    expect(firstError(toolbox)).toMatch(/ECONNREFUSED|fetch failed/);
    const later = await startMcpServer({ port });
    closers.push(() => later.close());
    await vi.waitFor(() => expect(toolbox.listNames()).toContain('web_search'));
    expect(firstError(toolbox)).toBeUndefined();
    expect(lines.join('\n')).not.toContain(KEY);
    expect(lines.join('\n')).toContain('a tool server does not respond');
  });

  it('report that the key is wrong, without its value', async () => {
    const server = await startMcpServer();
    closers.push(() => server.close());
    const wrong = 'wrong-key-1234';
    const reach = { kind: 'http', url: server.url, headers: { authorization: `Bearer ${wrong}` } };
    const { toolbox, lines } = await openToolbox([toConfig(server.url, { reach, secrets: [wrong] })]);
    expect(firstError(toolbox)).toMatch(/401|authoriz/i);
    expect(lines.join('\n')).not.toContain(wrong);
  });

  it.each([200, 500])('fail when the server answers %i without end', async (status) => {
    let sentBytes = 0;
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sentBytes += 65_536;
        response.once('drain', send);
      };
      send();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const { toolbox } = await openToolbox([toConfig(`http://127.0.0.1:${port}/mcp`)]);
    expect(firstError(toolbox)).toBeDefined();
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  /** Answers each request for the list with the output of the function, and counts the requests. */
  async function startHostileServer(answerList: (id: number, response: ServerResponse) => void) {
    let lists = 0;
    const server = createServer(async (request, response) => {
      const { id, method, params } = request.method === 'POST' ? JSON.parse(await text(request)) : {};
      if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
      response.setHeader('content-type', 'application/json');
      if (method === 'tools/list') {
        lists += 1;
        return answerList(id, response);
      }
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } };
      const result = { protocolVersion: params.protocolVersion, ...about };
      const error = { code: -32_601, message: 'unknown' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { ...(await openToolbox([toConfig(`http://127.0.0.1:${port}/mcp`)])), listCount: () => lists };
  }

  it('fail when their list has no end', async () => {
    let page = 0;
    const { toolbox, listCount } = await startHostileServer((id, response) => {
      page += 1;
      const tools = [{ name: `tool-${page}`, inputSchema: { type: 'object' } }];
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools, nextCursor: `${page}` } }));
    });
    expect(firstError(toolbox)).toMatch(/exceeded/);
    expect(listCount()).toBeLessThan(10);
  });

  it.each(['', ' \n', '\ufeff'])('fail when the server answers with a batch after %j', async (prefix) => {
    const { toolbox } = await startHostileServer((_id, response) => {
      response.end(`${prefix}[${'{"jsonrpc":"2.0","id":7,"result":{}},'.repeat(20_000)}0]`);
    });
    expect(firstError(toolbox)).toMatch(/is a batch/);
  });

  it('are replaced while other servers are queried', async () => {
    const { toolbox, ask } = await startStage();
    const kept = toolbox.list().find(({ name }) => name === 'web_search');
    await toolbox.replace({ builtIn: [], sources: [], limits: { ...DEFAULT_TOOL_LIMITS, steps: 1 } });
    expect(toolbox.listNames()).toEqual([]);
    expect(toolbox.limits.steps).toBe(1);
    expect(
      await kept?.run(
        { query: 'old' },
        {
          userId: 1,
          hasForeignText: false,
          recordForeignText: () => {},
          addSource: () => {},
          signal: new AbortController().signal,
        },
      ),
    ).toMatch(/^Found old/);
    expect(() => ask('web_search')).toThrow('there is no web_search');
  });

  it('may come from a local program, which gets only the environment variables it needs', async () => {
    const script = fileURLToPath(new URL('../../../support/programs/mcp-program.ts', import.meta.url));
    const reach = { kind: 'command', command: process.execPath, args: [script], env: { GIVEN: 'yes' } };
    vi.stubEnv('NOT_GIVEN', 'secret');
    const { ask, toolbox } = await openToolbox([toConfig('', { name: 'home', reach })]);
    expect(toolbox.sources()).toEqual([{ name: 'home', toolNames: ['environment'], lastError: undefined }]);
    expect(JSON.parse(await ask('environment'))).toEqual({ given: 'yes' });
    vi.unstubAllEnvs();
  });

  it('report a missing program', async () => {
    const reach = { kind: 'command', command: '/no/such/program', args: [], env: {} };
    const { toolbox } = await openToolbox([toConfig('', { reach })]);
    expect(firstError(toolbox)).toMatch(/ENOENT/);
  });
});

describe('a function with a URL', () => {
  const startFunction = async (answer: (body: string, response: ServerResponse) => void) => {
    const headers: (string | undefined)[] = [];
    const server = createServer(async (request, response) => {
      headers.push(request.headers.authorization);
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      answer(Buffer.concat(pieces).toString(), response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => void server.close());
    const config: ToolSourceConfig = {
      kind: 'function',
      name: 'get_weather',
      description: 'The weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`,
      headers: { authorization: `Bearer ${KEY}` },
      secrets: [KEY],
    };
    return { headers, ...(await openToolbox([config])) };
  };

  it('gets the arguments as JSON, and its answer is the result', async () => {
    const { ask, headers } = await startFunction((body, response) => response.end(`{"asked": ${body}}`));
    expect(await ask('get_weather', { city: 'Oslo' })).toBe('{"asked": {"city":"Oslo"}}');
    expect(headers).toEqual([`Bearer ${KEY}`]);
  });

  it('may fail, hang or answer too much', async () => {
    const { ask } = await startFunction((body, response) => {
      if (body.includes('fail')) response.writeHead(500).end('out of order');
      if (body.includes('flood')) response.end('x'.repeat(10_000_000));
    });
    expect(await ask('get_weather', { city: 'fail' })).toBe('Error: it answered with status 500: out of order');
    expect(await ask('get_weather', { city: 'flood' })).toBe('Error: its answer is too large');
    expect(await ask('get_weather', { city: 'hang' }, 100)).toBe('Error: it took too long');
  });
});
