import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';
import { localeCodes } from '../../src/texts/locale.ts';
import { listSyntaxNodes } from './syntax-nodes.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
/** Texts that are equal in all languages: names, codes, units and what users type. */
const NAMES = new Set(['Switchboard', 'API', 'Long polling', 'Node.js', 'Postgres ']);

/** A node of the syntax tree of a file. */
interface Place {
  readonly file: string;
  readonly node: JsonObject;
}

test('every text is translated', () => {
  const files = globSync(['**/*.{ts,tsx}', '../demo/*.ts'], { cwd: SOURCES });
  const compared = files.flatMap(findLanguages).flatMap(pairTexts);
  expect(compared.length, 'texts were found').toBeGreaterThan(1500);
  const untranslated = compared.filter(({ own, other }) => /\p{L}/u.test(own) && own === other && !NAMES.has(own));
  expect(untranslated.map(({ path, own }) => `${path}: ${own}`)).toEqual([]);
});

/** Returns the objects of a file that have one property for each language, and no others. */
function findLanguages(file: string): Record<string, Place>[] {
  return parse(file).flatMap((node) => {
    const values = node['type'] === 'ObjectExpression' ? toProperties({ file, node }) : {};
    const isComplete = localeCodes.every((locale) => values[locale]);
    return isComplete && Object.keys(values).length === localeCodes.length ? [values] : [];
  });
}

/** Pairs each text of the first language with those of the others, by the path of its properties. */
function pairTexts(languages: Readonly<Record<string, Place>>) {
  const [first, ...others] = localeCodes.map((locale) => listTexts(languages[locale]));
  return [...(first ?? [])].flatMap(([path, { own, file }]) =>
    others.flatMap((texts) => {
      const other = texts.get(path)?.own;
      return other === undefined ? [] : [{ path: `${file}${path}`, own, other }];
    }),
  );
}

/** Maps paths of properties to their texts: all literals in the value, which may be a function. */
function listTexts(value: Place | undefined, path = ''): Map<string, { readonly own: string; readonly file: string }> {
  const place = value && resolve(value);
  if (!place) return new Map();
  const { file, node } = place;
  if (node['type'] !== 'ObjectExpression') return new Map([[path, { own: listLiterals(node).join(''), file }]]);
  const entries = Object.entries(toProperties(place));
  return new Map(entries.flatMap(([name, inner]) => [...listTexts(inner, `${path} ${name}`)]));
}

/** Returns the values of an object literal by name, those of spread objects included. */
function toProperties({ file, node }: Place): Record<string, Place> {
  const entries = Array.isArray(node['properties']) ? node['properties'].filter(isJsonObject) : [];
  const all = entries.map((entry) => {
    const { key, value, type } = entry;
    const spread = isJsonObject(entry['arguments']) && resolve({ file, node: entry['arguments'] });
    if (spread) return toProperties(spread);
    const name = isJsonObject(key) ? key['value'] : type === 'Identifier' ? entry['value'] : undefined;
    return name === undefined ? {} : { [String(name)]: { file, node: isJsonObject(value) ? value : entry } };
  });
  return Object.assign({}, ...all);
}

/** Returns what a name means, which may be imported; undefined if that is no constant. Other nodes stay as they are. */
function resolve({ file, node }: Place): Place | undefined {
  if (isJsonObject(node['expression']) && node['type'] !== 'ArrowFunctionExpression')
    return resolve({ file, node: node['expression'] });
  if (node['type'] !== 'Identifier') return { file, node };
  for (const { type, id, init, source, specifiers } of parse(file)) {
    const isIt = type === 'VariableDeclarator' && isJsonObject(id) && id['value'] === node['value'];
    if (isIt && isJsonObject(init)) return resolve({ file, node: init });
    if (type !== 'ImportDeclaration' || !isJsonObject(source)) continue;
    const imported = join(dirname(file), String(source['value']));
    const isFrom = JSON.stringify(specifiers).includes(`"value":"${node['value']}"`);
    if (isFrom && imported.endsWith('.ts')) return resolve({ file: imported, node });
  }
  return undefined;
}

const parsed = new Map<string, readonly JsonObject[]>();

/** Returns all nodes of a file; none if it can't contain texts. */
function parse(file: string): readonly JsonObject[] {
  const code = readFileSync(join(SOURCES, file), 'utf8');
  const isWanted = localeCodes.every((locale) => code.includes(`${locale}: `)) || /english|russian/i.test(file);
  const nodes = parsed.get(file) ?? (isWanted ? [...listSyntaxNodes(file, code)] : []);
  parsed.set(file, nodes);
  return nodes;
}

/** Returns the texts of string and template literals in a node, in order. */
function listLiterals(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(listLiterals);
  if (!isJsonObject(node)) return [];
  if (node['type'] === 'StringLiteral') return [String(node['value'])];
  if (node['type'] === 'TemplateElement') return [String(node['raw'])];
  return Object.values(node).flatMap(listLiterals);
}
