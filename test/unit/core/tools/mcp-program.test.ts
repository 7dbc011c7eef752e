import { afterEach, describe, expect, it } from 'vitest';
import { createToolbox, DEFAULT_TOOL_LIMITS, runTool } from '../../../../src/core/tools/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createRecordingLogger, startToolbox } from '../../../support/harness/foundation.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/**
 * Returns a program that speaks MCP. Its tool `answer` prints the result of `expression` as it is; `again` answers.
 * @param isOld whether it ends at a question that it does not know.
 */
const toProgram = (expression: string, isOld = false) => `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const print = (json) => process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',' + json + '}\\n');
  const reply = (result) => print('"result":' + JSON.stringify(result));
  if (method === 'initialize')
    reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } });
  else if (method === 'tools/list')
    reply({ tools: ['answer', 'again'].map((name) => ({ name, inputSchema: { type: 'object' } })) });
  else if (method === 'tools/call' && params.name === 'again') reply({ content: [{ type: 'text', text: 'Found' }] });
  else if (method === 'tools/call') print(${expression});
  else if (${isOld} && method === 'server/discover') process.exit(1);
  else if (id !== undefined) print('"error":{"code":-32601,"message":"unknown"}');
});`;

async function start(program: string) {
  const { logger } = createRecordingLogger();
  const reach = { kind: 'command', command: process.execPath, args: ['-e', program], env: {} } as const;
  const source = { kind: 'mcp', name: 'home', reach, only: undefined, secrets: [] } as const;
  const toolbox = createToolbox(
    { clock: systemClock, logger },
    { builtIn: [], sources: [source], limits: DEFAULT_TOOL_LIMITS },
  );
  closers.push(() => toolbox.close());
  await startToolbox(toolbox);
  expect(toolbox.listNames()).toEqual(['answer', 'again']);
  const ask = (name: string) => {
    const tool = toolbox.list().find((one) => one.name === name);
    if (!tool) throw new Error(`there is no ${name}: ${toolbox.sources()[0]?.lastError}`);
    const signal = new AbortController().signal;
    const marks = { hasForeignText: false, recordForeignText: () => {}, addSource: () => {} };
    const options = { userId: 1, ...marks, timeoutMs: 60_000, maxCharacters: 1000, signal };
    return runTool({ clock: systemClock, logger }, tool, '{}', options);
  };
  return { ask };
}

describe('the answers of a local program with tools', () => {
  it.each([
    ['2 million values', `'"result":{"content":[],"structuredContent":{"a":[' + '[],'.repeat(2e6) + '0]}}'`],
    [
      '49,000 names in one object',
      `'"result":{"content":[],"structuredContent":{' + Array.from({ length: 49e3 }, (_, at) => '"k' + at + '":0').join() + '}}'`,
    ],
    ['a million levels', `'"result":' + '['.repeat(1e6) + ']'.repeat(1e6)`],
    ['9 MiB', `'"result":{"content":[{"type":"text","text":"' + 'a'.repeat(9 * 2 ** 20) + '"}]}'`],
  ])('are refused with %s, before they are parsed', async (_what, expression) => {
    const { ask } = await start(toProgram(expression));
    expect(await ask('answer')).toMatch(/^Error: .*closed/i);
    expect(await ask('again')).toBe('Found');
  });

  it('may be large, in parts, and between lines that are no messages', async () => {
    const text = `"result":{"content":[{"type":"text","text":"' + 'a'.repeat(6 * 2 ** 20) + ' end"}]}`;
    const { ask } = await start(toProgram(`(process.stdout.write('started\\n\\n{"a":1}\\n'), '${text}')`));
    expect(await ask('answer')).toMatch(/^a{100}/);
    expect(await ask('again')).toBe('Found');
  });

  it('are read from one that ends at the question of newer clients', async () => {
    const { ask } = await start(toProgram('0', true));
    expect(await ask('again')).toBe('Found');
  });

  it('end with it', async () => {
    const { ask } = await start(toProgram('process.exit(1)'));
    expect(await ask('answer')).toMatch(/^Error: .*closed/i);
    expect(await ask('again')).toBe('Found');
  });
});
