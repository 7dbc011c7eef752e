import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseProvidersFile } from '../../src/core/models/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const list = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => path.split('/').includes('node_modules') }).toSorted();

const documents = ['*.md', 'docs/**/*.md', 'bench/**/*.md', 'simulator/**/*.md'].flatMap(list);
const withoutCode = (markdown: string) => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** The anchors that GitHub generates for the headings of a document. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...withoutCode(read(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  const toSlug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
  return new Set(headings.map(toSlug));
}

function isBrokenLink(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path));
  return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).has(anchor));
}

it('relative links of documents lead to files and headings that exist', () => {
  const links = documents.flatMap((document) =>
    [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => ({ document, link }))
      .filter(({ link }) => !/^(?:https?|mailto):/.test(link)),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ document, link }) => isBrokenLink(document, link))).toEqual([]);
});

it('code paths in documents exist', () => {
  const paths = documents.flatMap((document) =>
    [...withoutCode(read(document)).matchAll(/`((?:src|test|simulator|bench|gallery|drizzle|docs)\/[\w./-]+)`/g)].map(
      ([, path = '']) => ({ document, path }),
    ),
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('identifiers in CONTRIBUTING.md and ARCHITECTURE.md exist in the code', () => {
  const code = ['src/**/*.{ts,cjs}', 'simulator/src/**/*.ts', 'test/**/*.ts'].flatMap(list).map(read).join('\n');
  const known = new Set(code.match(/\w+/g));
  const named = ['CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((document) =>
    [...withoutCode(read(document)).matchAll(/`([a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*|[A-Z]+_[A-Z_]+)`/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('messages in docs/troubleshooting.md exist in the code', () => {
  const code = list('src/**/*.ts').map(read).join('\n');
  const cells = [...read('docs/troubleshooting.md').matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = '']) => cell);
  const messages = cells.flatMap((cell) => [...cell.matchAll(/`([^`]* [^`]*)`/g)].map(([, message = '']) => message));
  // `… is in use by another process`: the text between the ellipses is fixed.
  const fixed = messages.flatMap((message) => message.split('…')).map((part) => part.trim());
  const isNumber = (part: string) => /^Port \d+/.test(part);
  expect(messages.length).toBeGreaterThan(10);
  expect(fixed.filter((part) => part.length > 3 && !isNumber(part) && !code.includes(part))).toEqual([]);
});

it('error codes in the documents of the API exist in the code', () => {
  const code = list('src/**/*.ts').map(read).join('\n');
  const codes = ['docs/api.md', 'docs/files.md'].flatMap((document) =>
    [...read(document).matchAll(/^\| [\d, ]+ \| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    ),
  );
  expect(codes.length).toBeGreaterThan(40);
  expect(codes.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

it('the version of the package is that of the changelog, or the next one in development', () => {
  const [, released = ''] = /^## \[(\d[^\]]*)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md')) ?? [];
  const { version } = JSON.parse(read('package.json'));
  const { version: locked, packages } = JSON.parse(read('package-lock.json'));
  expect([locked, packages[''].version]).toEqual([version, version]);
  if (version === released) return;
  expect(version).toMatch(/^\d+\.\d+\.\d+-dev$/);
  expect(compareVersions(version.replace('-dev', ''), released)).toBeGreaterThan(0);
  expect(read('CHANGELOG.md')).toContain('\n## Unreleased\n');
});

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

it('examples of the providers file in documents and in its own example are valid', () => {
  const texts = [...list('docs/*.md'), 'providers.example.yaml'].map(read);
  const files = texts.flatMap((text) =>
    [...text.matchAll(/^```yaml\n((?:providers|plans|budget|tools|aliases):[\s\S]*?)^```$/gm)].map(
      ([, yaml = '']) => yaml,
    ),
  );
  const prices = texts.flatMap((text) => [...text.matchAll(/\bprice: (\{[^}]*\})|of one image: (\{[^}]*\})/g)]);
  const models = prices.map(
    ([, price = '', alone = ''], at) =>
      `providers: [{ name: p${at}, base_url: "http://host", models: [{ id: m, price: ${price}${alone} }] }]`,
  );
  expect([files.length, models.length].every((count) => count > 1)).toBe(true);
  for (const file of [...files, ...models])
    expect(() => parseProvidersFile(file, () => 'http://value'), file).not.toThrow();
});

it('the costs of docs/first-week.md follow from the list prices', () => {
  const page = read('docs/first-week.md');
  const { models } = JSON.parse(read('src/core/models/catalogue/prices/list-prices.json'));
  const prices = [...page.matchAll(/^\| `(\w+)\/([^`]+)`[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)];
  const listed = prices.map(([, provider, model]) =>
    models.find((one: { provider: string; model: string }) => one.provider === provider && one.model === model),
  );
  expect(listed.length).toBeGreaterThan(3);
  const toNumber = (cell = '') => (cell.trim() === '' ? undefined : Number(cell));
  expect(prices.map(([, , , ...cells]) => cells.map(toNumber))).toEqual(
    listed.map(({ input, output, image, audioMinute }) => [input, output, image, audioMinute]),
  );

  const rows = [...page.matchAll(/^\|[^|]*\| ([\d, ×÷+().]+) \| ([\d.]+) \|$/gm)];
  const costs = rows.map(([, formula = '']) => calculate(formula));
  expect(rows.map(([, , cost]) => cost)).toEqual(costs.map((cost) => cost.toFixed(2)));
  const sum = costs.reduce((total, cost) => total + Number(cost.toFixed(2)), 0);
  expect(page).toContain(`| **together** | | **${sum.toFixed(2)}** |`);
});

/** Calculates `3,000 × (500 × 0.15 + 50 × 0.60) ÷ 1,000,000`. */
function calculate(formula: string): number {
  const [, factor, sum] = /^([\d,]+) × \(?([^)÷]+)\)?/.exec(formula) ?? [];
  const product = (term: string) =>
    term.split('×').reduce((value, part) => value * Number(part.replaceAll(',', '')), 1);
  const total = (sum ?? '').split('+').reduce((value, term) => value + product(term), 0);
  return (product(factor ?? '') * total) / (formula.includes('÷') ? 1e6 : 1);
}
