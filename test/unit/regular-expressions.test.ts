import { globSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';
import { listSyntaxNodes } from './syntax-nodes.ts';

/** Part of a regular expression: alternative characters or alternative groups, with the number of repetitions. */
interface PatternPart {
  readonly choices: readonly string[] | readonly (readonly PatternPart[])[];
  readonly min: number;
  readonly max: number;
}

const CANDIDATES = ['a', '1', ' ', '\n', '<', '-', '.', '/', '"', ',', 'я', '\u0001', '\u200b'];

const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|k<\w+>|[\s\S])/iy;

const CLASS = /\[\^?(?:\\[\s\S]|[^\\\]])*\]/y;

const GROUP = /\((\?(?:[ims]?:|<?=|<?!|<\w+>))?/y;

const QUANTIFIER = /(?:[*+?]|\{(\d+)(,)?(\d*)\})\??/y;

/** Patterns that need quadratic time. Their input has at most 500 characters. */
const KNOWN_SLOW: ReadonlySet<string> = new Set([
  String.raw`demo/demo-tool-calls.ts /[\d(][\d\s.()]*(?:[-+*/×÷^]\s*[\d(][\d\s.()]*)+/`,
]);

const PROBE_CHARACTERS = 1000;
const PROBE_SUSPICIOUS_MS = 0.15;
const LONG_CHARACTERS = 20_000;
const MAX_PUMP_CHARACTERS = 40;
/** Linear patterns need less than 5 ms, quadratic ones more than 150 ms. */
const MAX_LONG_CPU_MS = 60;
/** Time for one pattern on a busy machine: exponential ones never end. */
const PATTERN_TIMEOUT_MS = 30_000;
const KNOWN_SLOW_TIMEOUT_MS = 5000;

interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

describe('every regular expression of the source', EXHAUSTIVE, () => {
  it('needs time in proportion to the length of the text', () => {
    const slow = listPatterns()
      .filter(({ name }) => !KNOWN_SLOW.has(name))
      .flatMap(({ name, pattern }) => {
        const text = findSlowText(pattern, PATTERN_TIMEOUT_MS);
        return text === undefined ? [] : [`${name}: ${text}`];
      });
    expect(slow).toEqual([]);
  });

  it.each([
    /\s+$/,
    /[ \t]+\n/g,
    /\]\([^)]*\)|[`*_#>|[\]]/g,
    /^params: [\s\S]*?(?=^\s+at |$(?![\s\S]))/gm,
    /("authorization":)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi,
    /\S.*\n/,
    /^ *(\d{1,9}) *([smhd])? *$/i,
    /(?:a|aa)+b/,
    /\s*\n\s*/g,
    /\{[^}]*\}/g,
    /<[^>]*>/g,
    /\p{L}+@\p{L}+/u,
  ])('is checked by a probe that finds %s slow', (pattern) => {
    expect(findSlowText(pattern, KNOWN_SLOW_TIMEOUT_MS)).toBeDefined();
  });
});

interface FoundPattern {
  /** Path of the file and the literal. */
  readonly name: string;
  readonly pattern: RegExp;
}

/** Lists the literals of the code that runs in the service. The page of the playground runs in a browser. */
function listPatterns(): readonly FoundPattern[] {
  const found = new Map<string, RegExp>();
  for (const file of globSync('{src,demo}/**/*.ts').sort()) {
    for (const { type, pattern, flags } of listSyntaxNodes(file, readFileSync(file, 'utf8')))
      if (type === 'RegExpLiteral')
        found.set(`${file} /${pattern}/${flags}`, new RegExp(String(pattern), String(flags)));
  }
  expect(found.size).toBeGreaterThan(300);
  return [...found].map(([name, pattern]) => ({ name, pattern }));
}

/** Returns a description of a text for which the pattern is too slow, undefined if none was found. */
function findSlowText(pattern: RegExp, timeoutMs: number): string | undefined {
  let current: Attack | undefined;
  const search = () => {
    for (const attack of listAttacks(pattern)) {
      current = attack;
      const short = toText(attack, PROBE_CHARACTERS);
      const isSuspicious = () => measure(() => run(pattern, short), wallClock) > PROBE_SUSPICIOUS_MS;
      if (!isSuspicious() || !isSuspicious()) continue;
      const long = toText(attack, LONG_CHARACTERS);
      if (measure(() => run(pattern, long), cpuClock) > MAX_LONG_CPU_MS) return JSON.stringify(attack);
    }
    return undefined;
  };
  try {
    return withTimeout(search, timeoutMs);
  } catch (error) {
    return `${JSON.stringify(current)}: ${error}`;
  }
}

function* listAttacks(pattern: RegExp): Generator<Attack> {
  const random = createRandom(20_261);
  const sample = createPatternSampler(pattern, random);
  const samples = Array.from({ length: 10 }, () => [...sample()]);
  const characters = [...new Set(samples.flat())];
  const pumps = new Set(['a', ' ', '\n', ...characters.slice(0, 24)]);
  for (const one of characters.slice(0, 4)) for (const other of characters.slice(0, 4)) pumps.add(one + other);
  for (const whole of samples) {
    for (const end of [whole.length, -1, -2]) pumps.add(whole.slice(0, end).join(''));
    for (let count = 0; count < 2; count += 1) pumps.add(takePart(whole, random));
  }
  for (const pump of pumps) if (pump === '' || pump.length > MAX_PUMP_CHARACTERS) pumps.delete(pump);
  const starts = samples.slice(0, 3).map((whole) => whole.slice(0, Math.ceil(random() * whole.length)).join(''));
  const prefixes = new Set(['', 'a', ...starts]);
  for (const pump of pumps) {
    for (const prefix of prefixes) {
      for (const suffix of ['', '\n\u{2}']) yield { prefix, pump, suffix };
    }
  }
}

function takePart(whole: readonly string[], random: () => number): string {
  const start = random() < 0.5 ? 0 : Math.floor(random() * whole.length);
  return whole.slice(start, start + 1 + Math.floor(random() * (whole.length - start))).join('');
}

function toText({ prefix, pump, suffix }: Attack, characters: number): string {
  return prefix + pump.repeat(Math.ceil(characters / Math.min(pump.length, 4))) + suffix;
}

function run(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replace(pattern, '');
  else pattern.test(text);
}

const wallClock = () => performance.now();

function cpuClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function measure(work: () => void, clock: () => number): number {
  const start = clock();
  work();
  return clock() - start;
}

/** Runs the function and interrupts it at the timeout, even in the middle of a regular expression. */
function withTimeout<Result>(work: () => Result, timeoutMs: number): Result {
  const key = Symbol.for('work of a test under a timeout');
  Reflect.set(globalThis, key, work);
  try {
    return runInThisContext(`globalThis[Symbol.for('${key.description}')]()`, { timeout: timeoutMs });
  } finally {
    Reflect.deleteProperty(globalThis, key);
  }
}

/** Returns the numbers of a linear congruential generator, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Returns a function that generates strings which match a regular expression, or nearly match: anchors are ignored, and
 * the content of a lookaround is treated as text.
 * @param random returns a number from 0 (inclusive) to 1 (exclusive)
 */
function createPatternSampler({ source, flags }: RegExp, random: () => number): () => string {
  let position = 0;
  const take = (token: RegExp) => {
    token.lastIndex = position;
    const found = token.exec(source);
    if (found) position = token.lastIndex;
    return found;
  };
  const readAlternatives = (): PatternPart[][] => {
    const alternatives: PatternPart[][] = [[]];
    while (position < source.length && source[position] !== ')') {
      if (take(/\|/y)) alternatives.push([]);
      else alternatives.at(-1)?.push(readPart());
    }
    return alternatives;
  };
  const readPart = (): PatternPart => {
    const choices = readChoices();
    const found = take(QUANTIFIER);
    if (!found) return { choices, min: 1, max: 1 };
    const [all, min, comma, max] = found;
    if (min === undefined) return { choices, min: all.startsWith('+') ? 1 : 0, max: all.startsWith('?') ? 1 : 4 };
    return { choices, min: Number(min), max: comma === undefined ? Number(min) : Number(max || Number(min) + 4) };
  };
  const readChoices = (): PatternPart['choices'] => {
    if (take(GROUP)) {
      const alternatives = readAlternatives();
      position += 1;
      return alternatives;
    }
    const token = (take(CLASS) ?? take(ESCAPE))?.[0];
    if (token !== undefined) return listMatches(token, flags);
    const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
    position += character.length;
    return '^$'.includes(character) ? [''] : character === '.' ? ['a', ' '] : [character];
  };
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const sample = (parts: readonly PatternPart[]): string =>
    parts
      .map(({ choices, min, max }) => {
        const count = min + Math.floor(random() * (Math.min(max, min + 3) - min + 1));
        return Array.from({ length: count }, () => {
          const choice = pick<string | readonly PatternPart[]>(choices);
          return choice === undefined || typeof choice === 'string' ? choice : sample(choice);
        }).join('');
      })
      .join('');
  const alternatives = readAlternatives();
  return () => sample(pick(alternatives) ?? []);
}

/** Returns some characters matched by a class or an escape; the empty string for `\b` and similar. */
function listMatches(token: string, flags: string): readonly string[] {
  const own = [...token.slice(1).replaceAll(/\\./gu, '')];
  const matcher = new RegExp(`^${token}$`, flags.replace(/[gy]/g, ''));
  const escaped = /^\\(?:u\{?|x)([\da-f]+)\}?$/i.exec(token)?.[1];
  if (escaped !== undefined) return [String.fromCodePoint(Number.parseInt(escaped, 16))];
  const plain = /^\\([^\w])$/.exec(token)?.[1];
  if (plain !== undefined) return [plain];
  const found = [...new Set([...own, ...CANDIDATES, '\t', '\r'])].filter((character) => matcher.test(character));
  return found.length > 0 ? found.slice(0, 12) : [''];
}
