import { glob, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Texts, and queries each of which has one of them as its answer. Written by people for other purposes. */
export interface TestSet {
  readonly name: string;
  readonly documents: readonly { readonly name: string; readonly text: string }[];
  readonly queries: readonly { readonly text: string; readonly answer: string }[];
}

/** Translations of the rules of axe-core, a package that checks the accessibility of pages. */
interface AxeLocale {
  readonly rules: Readonly<Record<string, { readonly description: string; readonly help: string }>>;
  readonly checks: Readonly<Record<string, unknown>>;
}

const PACKAGES = 'node_modules/{*,@*/*}';
const LOCALES = 'node_modules/axe-core/locales';
const LANGUAGES = ['_template', 'ru', 'de', 'ja'];
/** Queries of a set; more take too long. */
const MAX_QUERIES = 150;
/** Shorter headings, such as "Usage", are those of any package. */
const MIN_HEADING_WORDS = 3;
const HEADING = /^#{2,4} +(?<text>.+)$/;

/** Returns the test sets made of packages that are installed for development. */
export async function loadTestSets(): Promise<readonly TestSet[]> {
  const sets: TestSet[] = [await loadReadmes()];
  for (const locale of LANGUAGES) {
    const { rules, checks } = JSON.parse(await readFile(`${LOCALES}/${locale}.json`, 'utf8')) as AxeLocale;
    sets.push(toRuleSet(locale.replace('_template', 'en'), rules, checks));
  }
  return sets;
}

/** Each rule is described twice, in different words: one description is found by the other, among all other texts. */
function toRuleSet(language: string, rules: AxeLocale['rules'], checks: AxeLocale['checks']): TestSet {
  const twice = Object.entries(rules).filter(
    ([, { help, description }]) => help && description && help !== description,
  );
  const described = twice.map(([name, { description }]) => ({ name, text: description }));
  const others = listTexts(checks).map((text, index) => ({ name: `check ${index}`, text }));
  return {
    name: `rules, ${language}`,
    documents: [...described, ...others],
    queries: twice.map(([answer, { help }]) => ({ text: help, answer })),
  };
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value instanceof Object ? Object.values(value).flatMap(listTexts) : [];
}

/** READMEs of all packages without their headings. A heading that only one of them has finds it. */
async function loadReadmes(): Promise<TestSet> {
  const documents: { readonly name: string; readonly text: string }[] = [];
  const answers = new Map<string, Set<string>>();
  for (const path of (await Array.fromAsync(glob(`${PACKAGES}/README.md`))).toSorted()) {
    const name = dirname(path).replace('node_modules/', '');
    const lines = (await readFile(path, 'utf8')).split('\n');
    documents.push({ name, text: lines.filter((line) => !HEADING.test(line)).join('\n') });
    for (const line of lines) {
      const heading = HEADING.exec(line)?.groups?.['text'];
      if (heading && heading.split(' ').length >= MIN_HEADING_WORDS)
        answers.set(heading, (answers.get(heading) ?? new Set()).add(name));
    }
  }
  const queries = [...answers].flatMap(([text, names]) => {
    const [answer] = names;
    return names.size === 1 && answer !== undefined ? { text, answer } : [];
  });
  const every = Math.ceil(queries.length / MAX_QUERIES);
  return { name: 'READMEs by headings', documents, queries: queries.filter((_query, index) => index % every === 0) };
}
