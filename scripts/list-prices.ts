/**
 * Makes src/core/models/catalogue/prices/list-prices.json anew: `npm run prices`, or `npm run prices <file>` with a downloaded
 * copy of the list.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { convertPrices } from './convert-prices.ts';

const SOURCE = 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';
const LICENCE = 'MIT, Copyright (c) 2023 Berri AI; see list-prices.LICENSE';
const TARGET = new URL('../src/core/models/catalogue/prices/list-prices.json', import.meta.url);
const TIMEOUT_MS = 60_000;

const [path] = process.argv.slice(2);
const rows = convertPrices(JSON.parse(path === undefined ? await download() : await readFile(path, 'utf8')));
const facts = { source: SOURCE, licence: LICENCE, date: new Date().toISOString().slice(0, 10) };
const lines = Object.entries(facts).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
const models = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
await writeFile(TARGET, `{\n${lines.join('\n')}\n  "models": [\n${models}\n  ]\n}\n`);
console.log(`${rows.length} models of ${new Set(rows.map(({ provider }) => provider)).size} providers`);

async function download(): Promise<string> {
  const answer = await fetch(SOURCE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${SOURCE}: status ${answer.status}`);
  return answer.text();
}
