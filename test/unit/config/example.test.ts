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
const everyName = [...settingNames, ...presetKeyVariables].toSorted();

/** The variables of a file in which every setting is uncommented. */
const uncommented = example.replace(/^#(?=\w+=)/gm, '');
/** Names of settings in the second cells of the tables of a document. */
const namesInTables = (markdown: string) =>
  [...markdown.matchAll(/^\|[^|]*\|([^|]*)\|[^|]*\|$/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name),
  );

describe('.env.example', () => {
  it('contains every setting and every key of a preset once, and nothing else', () => {
    const names = [...uncommented.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(everyName);
  });

  it('explains each of them in a line above it', () => {
    const lines = example.split('\n');
    const unexplained = lines.filter((line, at) => /^#\w+=/.test(line) && !/^# \S.*\S$/.test(lines[at - 1] ?? ''));
    expect(unexplained).toEqual([]);
  });

  it('names every preset above its key variable', () => {
    const presets = [...example.matchAll(/^# (.+), as provider ([a-z]+)\.\n#(\w+)=$/gm)].map((match) =>
      match.slice(1, 4),
    );
    expect(presets).toEqual(
      PROVIDER_PRESETS.filter(({ name }) => name !== 'openai').map((preset) => [
        preset.displayName,
        preset.name,
        preset.keyVariables[0],
      ]),
    );
  });

  it('sets nothing by default', () => {
    expect(parseEnv(example)).toEqual({});
  });

  it('shows the real defaults: uncommenting every setting changes nothing', () => {
    expect(createConfig(parseEnv(uncommented), presetKeyVariables)).toEqual(createConfig({}, []));
  });

  it('is valid with every value emptied', () => {
    const emptied = parseEnv(uncommented.replace(/^(\w+)=.*$/gm, '$1='));
    expect(Object.keys(emptied).toSorted()).toEqual(everyName);
    expect(createConfig(emptied, presetKeyVariables)).toEqual(createConfig({}, []));
  });
});

describe('docs/configuration.md', () => {
  it('contains every setting once, and no other', () => {
    expect(namesInTables(configuration).toSorted()).toEqual(settingNames.toSorted());
  });
});

it('providers.example.yaml names every preset', async () => {
  const comments = (await read('providers.example.yaml')).replace(/\n\s*#\s*/g, ' ');
  const listed = /Presets: ([^.]*)\./.exec(comments)?.[1];
  expect(listed?.split(', ')).toEqual(PROVIDER_PRESETS.map(({ name }) => name));
});
