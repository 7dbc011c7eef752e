import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listSyntaxNodes } from './syntax-nodes.ts';

/** Folder of the source files. */
const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/** Words that identifiers, comments and file names avoid, each with its replacement. CONTRIBUTING.md has the whole table. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  announcement: 'broadcast',
  asker: 'user',
  audience: 'access',
  bury: 'take over',
  courier: 'transport',
  crowd: 'burst',
  door: 'fast path or middleware',
  drawing: 'image job',
  entrance: 'middleware',
  everybody: 'all users',
  exchange: 'request or response',
  gatherer: 'batcher',
  guise: 'persona or prompt source',
  household: 'network',
  lane: 'chat queue',
  nobody: 'no user',
  people: 'users',
  person: 'user',
  picture: 'image',
  piece: 'part, segment or chunk',
  relieve: 'wake',
  rung: 'woken',
  senses: 'capabilities',
  somebody: 'a user',
  stock: 'prefetched quota',
  suspect: 'crashed',
  thoughts: 'reasoning',
  whoever: 'the user who',
  wish: 'option',
};

/** Names that are public or stored, or were so in a former version that can still be read. Paths start below `src`. */
const ALLOWED: readonly { readonly path: RegExp; readonly words: readonly string[] }[] = [
  { path: /^bot\/features\/broadcasts\//, words: ['announcement'] },
  // Fields of stored buttons.
  { path: /^bot\/kit\/actions\.ts$/, words: ['announcement', 'drawing', 'person', 'picture'] },
  { path: /^bot\/choices\/topics\.ts$/, words: ['announcement'] },
  // Names of plans, prices, scopes, and actions of the audit log before version 0.3.
  { path: /^core\/limits\/plans\.ts$/, words: ['person', 'picture'] },
  { path: /^core\/models\/hosts\/settings\/price-schema\.ts$/, words: ['picture'] },
  { path: /^http\/management\/former-words\.ts$/, words: ['announcement', 'person'] },
  { path: /^http\/server\/errors\/limit-headers\.ts$/, words: ['picture'] },
  { path: /^core\/tools\/create-toolbox\.ts$/, words: ['picture'] },
  { path: /^((core|http)\/shared-conversations|bot\/features\/share)\//, words: ['picture'] },
  // The control API of the simulator.
  { path: /^app\/bot\/create-playground\.ts$/, words: ['person', 'people'] },
];

function isAllowed(path: string, word: string): boolean {
  return ALLOWED.some((rule) => rule.path.test(path) && rule.words.includes(word));
}

/** Returns the words of all identifiers: `ImageJobRunner` has three. */
function* listIdentifierWords(path: string, code: string): Generator<string> {
  for (const { type, value } of listSyntaxNodes(path, code))
    if (type === 'Identifier' || type === 'PrivateName')
      yield* String(value).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
}

function listCommentWords(code: string): readonly string[] {
  const comments = code.match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? [];
  return comments.join('\n').match(/[A-Za-z]+/g) ?? [];
}

it('identifiers, comments and file names use one word for one thing', () => {
  const found = new Set<string>();
  const list = (folder: string) => readdirSync(SOURCES + folder, { recursive: true, encoding: 'utf8' });
  const demonstration = list('../demo').map((path) => `../demo/${path}`);
  const paths = [...list(''), ...demonstration].filter((path) => /\.tsx?$/.test(path));
  expect(paths.length).toBeGreaterThan(500);
  for (const path of paths) {
    const code = readFileSync(SOURCES + path, 'utf8');
    const words = [...listIdentifierWords(path, code), ...listCommentWords(code), ...(path.match(/[a-z]+/g) ?? [])];
    for (const word of words.map((given) => given.toLowerCase())) {
      const singular = word.replace(/s$/, '');
      const banned = [word, singular].find((one) => Object.hasOwn(REPLACEMENTS, one));
      if (banned && !isAllowed(path, banned)) found.add(`src/${path}: "${word}" is ${REPLACEMENTS[banned]}`);
    }
  }
  expect([...found]).toEqual([]);
});
