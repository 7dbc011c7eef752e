import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../../../src/app/read-settings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-settings-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a key that the providers file gives to a tool server is not used for a second web search', async () => {
  const path = join(folder, 'providers.yaml');
  await writeFile(
    path,
    'tools:\n  - { name: search, mcp: "https://mcp.tavily.com/mcp/", headers: { Authorization: Bearer $TAVILY_API_KEY } }\n',
  );
  const values = { PROVIDERS_FILE: path, TAVILY_API_KEY: 'key-of-tavily', SEARXNG_URL: 'http://127.0.0.1:8888' };
  const { tools } = await readSettings({ values, fileNames: Object.keys(values) });
  expect(tools.webSearch?.map(({ kind }) => kind)).toEqual(['searxng']);
  const { tools: withoutFile } = await readSettings({ values: { ...values, PROVIDERS_FILE: '' }, fileNames: [] });
  expect(withoutFile.webSearch?.map(({ kind }) => kind)).toEqual(['tavily', 'searxng']);
});
