import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { actions, commands } from '../../src/bot/bot.ts';
import { listCommands } from '../../src/bot/framework/profile.ts';

test('the README lists the commands of users, and no others', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [list = ''] = /^- Commands: .*$/m.exec(readme) ?? [];
  const told = Array.from(list.matchAll(/`\/(\w+)`/g), ([, name]) => name);
  const listed = listCommands({ commands, administration: { isPrivate: false } }, 'private', 'en');
  const unlisted = commands.filter(({ menus }) => menus.length === 0);
  const own = [...listed.map(({ command }) => command), ...unlisted.map(({ name }) => name)];
  expect(told.toSorted(), 'compare the line of README.md with the commands of the features').toEqual(own.toSorted());
});

test('each kind of button that is offered is defined by a feature, and each that is defined is handled', async () => {
  const folder = new URL('../../src/bot/', import.meta.url);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const code = (await Promise.all(paths.map((path) => readFile(new URL(path, folder), 'utf8')))).join('\n');
  const find = (pattern: RegExp) => new Set(Array.from(code.matchAll(pattern), ([, kind = '']) => kind));
  const defined = new Set<string>(actions.kinds);
  const offered = find(/\bchoice: \{\s*kind: '([\w-]+)'/g);
  // `onOrder` is `onPress` for buttons of a drawing.
  const handled = find(/\bon(?:Press|Order)\(\s*\w+,\s*'([\w-]+)'/g);
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
    'defined, but no `onPress` handles it',
  ).toEqual([]);
});
