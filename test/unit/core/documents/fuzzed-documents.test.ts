import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { expect } from 'vitest';
import { createDocumentTexts, DocumentUnreadableError } from '../../../../src/core/documents/index.ts';
import { watchChildMemory } from '../../../support/machine/child-processes.ts';
import { pack, WIDE_TABLES, writeDocx, writeEpub, writePdf, writeXlsx } from '../../../support/samples/documents.ts';
import { listFuzzRuns, testByTier } from '../../../support/vitest/tiers.ts';

/** Generated document that may be hostile, and is mostly broken. */
interface FuzzedDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

const NUMBERS = ['0', '-1', '1', '2', '3', '65535', '1000000000', '4294967296', '1e999', 'NaN', 'x', '', '1.5'];

const TAGS = [
  'table',
  'tr',
  'td',
  'th',
  'tbody',
  'center',
  'div',
  'p',
  'ul',
  'ol',
  'li',
  'pre',
  'blockquote',
  'h1',
  'a',
];

const MAX_REPEATS = 3000;

const number = fc.constantFrom(...NUMBERS);

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('word', 'ж', '\u{1f600}', '&amp;', '&#x0;', '<', ']]>'),
);

/** Nested tables, whose cells span any number of columns and rows. */
const table: fc.Arbitrary<string> = fc.letrec<{ table: string; cell: string }>((tie) => ({
  cell: fc
    .tuple(
      fc.constantFrom('td', 'th'),
      number,
      number,
      fc.oneof({ maxDepth: 4, depthSize: 'small' }, word, tie('table')),
      fc.boolean(),
    )
    .map(([tag, columns, rows, content, isClosed]) =>
      [`<${tag} colspan="${columns}" rowspan=${rows}>`, content, isClosed ? `</${tag}>` : ''].join(''),
    ),
  table: fc
    .tuple(fc.array(fc.array(tie('cell'), { maxLength: 6 }), { maxLength: 6 }), fc.boolean())
    .map(([rows, isClosed]) =>
      ['<table>', ...rows.flatMap((cells) => ['<tr>', ...cells]), isClosed ? '</table>' : ''].join(''),
    ),
})).table;

const repeats = fc.oneof(
  { weight: 5, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: MAX_REPEATS }) },
);

const tag = fc
  .tuple(
    fc.constantFrom('<', '</'),
    fc.constantFrom(...TAGS),
    fc.constantFrom('', ' start=', ' type=i start=', ' colspan='),
    number,
  )
  .map(([open, name, attribute, value]) => `${open}${name}${attribute}${attribute === '' ? '' : value}>`);

const tagSoup = fc
  .array(fc.tuple(fc.oneof(tag, word), repeats), { maxLength: 30 })
  .map((tokens) => tokens.map(([token, times]) => token.repeat(times)).join(''));

const html = fc.oneof(
  table,
  tagSoup,
  fc.tuple(tagSoup, table, tagSoup).map((parts) => parts.join('')),
);

/** Changes bytes, as transmission errors or an attacker would. */
const damage = fc.array(
  fc.record({
    kind: fc.constantFrom('set', 'delete', 'repeat', 'cut'),
    /** Position, as a fraction of the length. */
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 1, max: 64 }),
    byte: fc.nat({ max: 255 }),
  }),
  { minLength: 1, maxLength: 8 },
);

type Damage = (typeof damage)['generate'] extends (...args: never) => { value: infer Value } ? Value : never;

function applyDamage(bytes: Buffer, changes: Damage): Buffer {
  return changes.reduce((whole, { kind, at, length, byte }) => {
    const start = Math.floor(at * whole.length);
    const [before, hit, after] = [
      whole.subarray(0, start),
      whole.subarray(start, start + length),
      whole.subarray(start + length),
    ];
    if (kind === 'set') return Buffer.concat([before, Buffer.alloc(hit.length, byte), after]);
    if (kind === 'delete') return Buffer.concat([before, after]);
    if (kind === 'repeat') return Buffer.concat([before, ...Array.from({ length }, () => hit), after]);
    return length > 60 ? before : whole;
  }, bytes);
}

/** Replaces some of the numbers: sizes, counts, references, spans. */
function replaceNumbers(text: string, numbers: readonly string[]): string {
  let at = 0;
  return text.replaceAll(/\d+/g, (found) => {
    at += 1;
    return at % 7 === 0 ? (numbers[(at / 7) % numbers.length] ?? found) : found;
  });
}

/** Returns the archive with damage inside one of its files, so that the archive itself remains valid. */
function damageEntry(
  archive: Buffer,
  { at, changes, numbers }: { at: number; changes: Damage; numbers: readonly string[] },
): Buffer {
  const files: Record<string, Uint8Array> = unzipSync(archive);
  const name = Object.keys(files)[at % Object.keys(files).length] ?? '';
  const content = Buffer.from(files[name] ?? []);
  const changed =
    numbers.length > 0
      ? Buffer.from(replaceNumbers(content.toString('latin1'), numbers), 'latin1')
      : applyDamage(content, changes);
  return pack({ ...files, [name]: changed });
}

const archives = [
  { name: 'a.docx', bytes: writeDocx(['# Plan', 'one', 'two &amp; three']) },
  { name: 'a.docx', bytes: WIDE_TABLES[1].bytes },
  {
    name: 'a.xlsx',
    bytes: writeXlsx('Prices', [
      ['tea', 4.5],
      ['milk', 2],
      ['bread', 3],
    ]),
  },
  {
    name: 'a.epub',
    bytes: writeEpub([
      { title: 'One', text: 'Night.' },
      { title: 'Two', text: 'Day.' },
    ]),
  },
];

const archive = fc
  .tuple(fc.constantFrom(...archives), fc.boolean(), fc.nat({ max: 50 }), damage, fc.array(number, { maxLength: 4 }))
  .map(([{ name, bytes }, isInside, at, changes, numbers]) => ({
    name,
    bytes: isInside ? damageEntry(bytes, { at, changes, numbers }) : applyDamage(bytes, changes),
  }));

const PDF = writePdf(['The rent is 700 euros.', 'It is due on the third.', '']);

const pdf = fc
  .tuple(fc.boolean(), damage, fc.array(number, { minLength: 1, maxLength: 4 }))
  .map(([hasDamage, changes, numbers]) => ({
    name: 'a.pdf',
    bytes: hasDamage
      ? applyDamage(PDF, changes)
      : Buffer.from(replaceNumbers(PDF.toString('latin1'), numbers), 'latin1'),
  }));

const fuzzedDocument: fc.Arbitrary<FuzzedDocument> = fc.oneof(
  html.map((text) => ({ name: 'a.html', bytes: Buffer.from(text) })),
  archive,
  pdf,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ name: 'a.txt', bytes: Buffer.from(bytes) })),
);

/** `FUZZ_DOCUMENTS=100000` sets the number of documents; `FUZZ_SEED` repeats a failed run. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 30));
const RUNS = listFuzzRuns({ seed: SEED, short: 15, long: 60, wanted: process.env['FUZZ_DOCUMENTS'] });
/** Number of documents of a test. */
const BATCH = 100;
const BATCHES = RUNS.flatMap(({ seed, count }) =>
  Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => ({
    seed: seed + at * BATCH,
    count: Math.min(BATCH, count - at * BATCH),
  })),
);
const MIB = 1024 * 1024;
const AT_ONCE = 3;
const TIMEOUT_MS = 20_000;
const MAX_MEMORY_BYTES = 128 * MIB;
/** Memory of Node itself, and growth of a child between two measurements. */
const MEMORY_SLACK_BYTES = 512 * MIB;
/** Time for a child to end on a busy machine. */
const TIME_SLACK_MS = 10_000;
/** Maximum uninterrupted processor time of the service's thread, on a busy machine. */
const MAX_BLOCKED_MS = 200;

const texts = createDocumentTexts({ atOnce: AT_ONCE, timeoutMs: TIMEOUT_MS, maxMemoryBytes: MAX_MEMORY_BYTES });

async function read({ name, bytes }: FuzzedDocument, userId: number) {
  let startedAt = 0;
  const load = async () => {
    startedAt = performance.now();
    return bytes;
  };
  const outcome = await texts
    .read({ name }, { userId, load, signal: new AbortController().signal })
    .catch((error: unknown) => error);
  const tookMs = performance.now() - startedAt;
  const isRead = outcome instanceof DocumentUnreadableError || (outcome as { text: string }).text.length <= 400_000;
  return { isRead, isInTime: tookMs < TIMEOUT_MS + TIME_SLACK_MS, outcome };
}

/** Measures the processor time of this thread between two ticks of a timer, which other load does not change. */
function watchThread() {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const heart = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 5);
  return () => {
    clearInterval(heart);
    return longestMs;
  };
}

testByTier(BATCHES)(
  'hostile documents stay within their time and memory, and do not block the service (FUZZ_SEED=$seed)',
  async ({ seed, count }) => {
    const documents = fc.sample(fuzzedDocument, { seed, numRuns: count });
    await read({ name: 'a.txt', bytes: Buffer.from('warm') }, 0);
    const [endWatch, endLook] = [watchThread(), watchChildMemory()];
    const queue = [...documents.entries()];
    const readers = Array.from({ length: AT_ONCE }, async (_, userId) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [at, document] = next;
        const { isRead, isInTime, outcome } = await read(document, userId);
        expect({ at, name: document.name, isRead, isInTime, outcome }).toMatchObject({ isRead: true, isInTime: true });
      }
    });
    await Promise.all(readers);
    expect(endWatch()).toBeLessThan(MAX_BLOCKED_MS);
    expect(endLook()).toBeLessThan(MAX_MEMORY_BYTES + MEMORY_SLACK_BYTES);
  },
);
