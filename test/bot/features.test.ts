import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { actions, commands, FEATURES } from '../../src/bot/bot.ts';
import { TOPICS, texts } from '../../src/bot/features/help.ts';
import { listCommands } from '../../src/bot/kit/profile.ts';

const readDocument = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const namesOf = (text: string) => Array.from(text.matchAll(/`\/(\w+)/g), ([, name]) => name);

test('docs/bot.md lists exactly the commands of users', async () => {
  const document = 'docs/bot.md';
  const [text = ''] = /^## Commands$[\s\S]*?\n\n(?!\|)/m.exec(await readDocument(document)) ?? [];
  const told = namesOf(text);
  const listed = listCommands({ commands, administration: { isPrivate: false } }, 'private', 'en');
  const unlisted = commands.filter(({ menus }) => menus.length === 0);
  const own = [...listed.map(({ command }) => command), ...unlisted.map(({ name }) => name)];
  expect(told.toSorted(), `compare ${document} with the commands of the features`).toEqual(own.toSorted());
});

test('docs/bot.md has the topics of /help', async () => {
  const rows = Array.from((await readDocument('docs/bot.md')).matchAll(/^\| ([A-Z][^|]+) \| .*`\/\w.*$/gm));
  const told = rows.map(([row, topic = '']) => [topic, namesOf(row)]);
  expect(told).toEqual(TOPICS.map(({ topic, names }) => [texts.en.topics[topic], names]));
});

test('docs/administration.md lists exactly the commands of admins', async () => {
  const rows = (await readDocument('docs/administration.md')).split('\n').filter((line) => line.startsWith('| `/'));
  const told = namesOf(rows.map((row) => row.split('|')[1]).join());
  const own = commands.filter(({ menus }) => menus.some((menu) => menu === 'admin')).map(({ name }) => name);
  expect([...new Set(told)].toSorted()).toEqual(own.toSorted());
});

/** Commands of features that a scene of the gallery shows without typing one; undefined if the answer is a line. */
const SHOWN_WITHOUT = {
  save: 'files',
  stop: 'streamed-answer',
  tasks: 'tasks',
  plan: undefined,
} as const;

test('each feature with commands has a scene in the gallery', async () => {
  const scenes = await readDocument('gallery/scenes.ts');
  const typed = new Set(Array.from(scenes.matchAll(/\.writes\(['`]\/(\w+)/g), ([, name = '']) => name));
  const features = FEATURES.map(({ commands: own = [] }) => own.map(({ name }) => name));
  const unseen = features.filter((names) => names.length > 0 && !names.some((name) => typed.has(name)));
  expect(unseen.map(([name]) => name).toSorted(), 'add a scene to gallery/scenes.ts').toEqual(
    Object.keys(SHOWN_WITHOUT).toSorted(),
  );
  for (const scene of Object.values(SHOWN_WITHOUT)) if (scene) expect(scenes).toContain(`name: '${scene}'`);
});

test('each offered callback action is defined by a feature, and each defined one is handled', async () => {
  const folder = new URL('../../src/bot/', import.meta.url);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const code = (await Promise.all(paths.map((path) => readFile(new URL(path, folder), 'utf8')))).join('\n');
  const find = (pattern: RegExp) => new Set(Array.from(code.matchAll(pattern), ([, kind = '']) => kind));
  const defined = new Set<string>(actions.kinds);
  const offered = find(/\baction: \{\s*kind: '([\w-]+)'/g);
  // `onImageJobAction` is `onAction` for buttons of an image job, `onAdminAction` for those of admins.
  const handled = find(/\bon(?:Action|ImageJobAction|AdminAction)\(\s*\w+,\s*'([\w-]+)'/g);
  expect(offered.size, 'buttons were found in the code').toBeGreaterThan(50);
  expect(
    [...offered].filter((kind) => !defined.has(kind)),
    'offered, but in no `actions` of a feature',
  ).toEqual([]);
  expect(
    [...handled].filter((kind) => !defined.has(kind)),
    'handled, but in no `actions` of a feature',
  ).toEqual([]);
  expect(
    [...defined].filter((kind) => !handled.has(kind)),
    'defined, but no `onAction` handles it',
  ).toEqual([]);
});

test('buttons of earlier versions are read by the former names of their fields', () => {
  expect(actions.parse({ kind: 'vary-picture', drawingId: 7, pictureId: 9 })).toEqual({
    kind: 'vary-picture',
    imageJobId: 7,
    imageId: 9,
  });
});
