import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createConfig } from '../../../src/config/index.ts';
import { settingNames } from '../../../src/config/schema.ts';
import { presetKeyVariables } from '../../../src/core/models/index.ts';
import { PROVIDER_PRESETS } from '../../../src/core/models/presets.ts';

const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
const example = await read('.env.example');
const readme = await read('README.md');
const everyName = [...settingNames, ...presetKeyVariables].toSorted();

/** What people get who take away the # of every setting. */
const uncommented = example.replace(/^#(?=\w+=)/gm, '');
/** The first cells of the tables of a document whose cell is one `NAME`, or several separated by commas. */
const namesInTables = (markdown: string) =>
  [...markdown.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );

describe('.env.example', () => {
  it('names every setting and every key of a preset once, and nothing else', () => {
    const names = [...uncommented.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(everyName);
  });

  it('explains each of them in a line above it', () => {
    const lines = example.split('\n');
    const unexplained = lines.filter((line, at) => /^#\w+=/.test(line) && !/^# \S.*\S$/.test(lines[at - 1] ?? ''));
    expect(unexplained).toEqual([]);
  });

  it('sets nothing as it is', () => {
    expect(parseEnv(example)).toEqual({});
  });

  it('shows the real defaults: with every setting uncommented all is as with none', () => {
    expect(createConfig(parseEnv(uncommented), presetKeyVariables)).toEqual(createConfig({}, []));
  });

  it('is valid with every value emptied', () => {
    const emptied = parseEnv(uncommented.replace(/^(\w+)=.*$/gm, '$1='));
    expect(Object.keys(emptied).toSorted()).toEqual(everyName);
    expect(createConfig(emptied, presetKeyVariables)).toEqual(createConfig({}, []));
  });
});

describe('the README', () => {
  it('has every setting in its tables, and no other', () => {
    expect(namesInTables(readme).toSorted()).toEqual(settingNames.toSorted());
  });

  it('has every preset with its key variable', () => {
    const rows = [...readme.matchAll(/^\| (.+?) \| `([a-z]+)` \| `(\w+)` \|$/gm)].map((row) => row.slice(1, 4));
    const presets = PROVIDER_PRESETS.map(({ displayName, name, keyVariable }) => [displayName, name, keyVariable]);
    expect(rows).toEqual(presets);
  });
});

it('providers.example.yaml names every preset', async () => {
  const comments = (await read('providers.example.yaml')).replace(/\n\s*#\s*/g, ' ');
  const listed = /Presets: ([^.]*)\./.exec(comments)?.[1];
  expect(listed?.split(', ')).toEqual(PROVIDER_PRESETS.map(({ name }) => name));
});
