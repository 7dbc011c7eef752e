import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createConfig } from '../../../src/config/index.ts';
import { settingNames } from '../../../src/config/schema.ts';
import { PROVIDER_PRESETS } from '../../../src/core/models/hosts/settings/presets.ts';
import { presetKeyVariables } from '../../../src/core/models/index.ts';

const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
const example = await read('.env.example');
const configuration = await read('docs/configuration.md');
const everyName = [...settingNames, ...presetKeyVariables];

/** The variables of a file in which every setting is uncommented. */
const uncommented = example.replace(/^#(?=\w+=)/gm, '');
const exampleNames = [...uncommented.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
/** Cells of the rows with three columns of the tables of a document. */
const rows = [...configuration.matchAll(/^\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].map((match) =>
  match.slice(1).map((cell) => cell.trim()),
);
const namesIn = (cell = '') => [...cell.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name = '']) => name);

describe('.env.example', () => {
  it('contains the settings that most need, each once, and nothing else', () => {
    expect(exampleNames).toHaveLength(25);
    expect(new Set(exampleNames).size).toBe(exampleNames.length);
    expect(exampleNames.filter((name) => !everyName.includes(name))).toEqual([]);
  });

  it('explains each of them in a line above it', () => {
    const lines = example.split('\n');
    const unexplained = lines.filter((line, at) => /^#\w+=/.test(line) && !/^# \S.*\S$/.test(lines[at - 1] ?? ''));
    expect(unexplained).toEqual([]);
  });

  it('sets nothing by default', () => {
    expect(parseEnv(example)).toEqual({});
  });

  it('shows the real defaults: uncommenting every setting changes nothing', () => {
    expect(createConfig(parseEnv(uncommented), presetKeyVariables)).toEqual(createConfig({}, []));
  });
});

describe('docs/configuration.md', () => {
  it('contains every setting once, and no other', () => {
    expect(rows.flatMap(([names]) => namesIn(names)).toSorted()).toEqual(settingNames.toSorted());
  });

  it('shows the real defaults: setting them changes nothing', () => {
    const defaults = rows.flatMap(([names, cell = '']) => {
      const [, value] = /^`([^`]+)`$/.exec(cell) ?? [];
      return value === undefined ? [] : namesIn(names).map((name) => [name, value] as const);
    });
    expect(defaults.length).toBeGreaterThan(8);
    expect(createConfig(Object.fromEntries(defaults), [])).toEqual(createConfig({}, []));
  });

  it('is complete: every setting may be empty', () => {
    const emptied = Object.fromEntries(everyName.map((name) => [name, '']));
    expect(createConfig(emptied, presetKeyVariables)).toEqual(createConfig({}, []));
  });

  it('names every preset with the variables of its key', () => {
    const presets = rows.filter(([first = '', name = '']) => /^[^`]+$/.test(first) && /^`[a-z]+`$/.test(name));
    expect(presets).toEqual(
      PROVIDER_PRESETS.filter(({ name }) => name !== 'openai').map(({ displayName, name, keyVariables }) => [
        displayName,
        `\`${name}\``,
        keyVariables.map((variable) => `\`${variable}\``).join(', '),
      ]),
    );
  });
});

it('providers.example.yaml names every preset', async () => {
  const comments = (await read('providers.example.yaml')).replace(/\n\s*#\s*/g, ' ');
  const listed = /Presets: ([^.]*)\./.exec(comments)?.[1];
  expect(listed?.split(', ')).toEqual(PROVIDER_PRESETS.map(({ name }) => name));
});
