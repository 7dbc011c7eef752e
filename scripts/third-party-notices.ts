import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../src/lib/layout.ts';
import { type LockedPackage, listProductionPackages } from './lock-file.ts';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/** What the licences ask to say beside their texts. */
const HEAD = `Third-party notices

Switchboard contains the packages below, or is installed with them, under their own licences.

sharp loads libvips and the libraries in it (LGPL-3.0-or-later) from a shared library of its own, the package
@img/sharp-libvips-…, which can be replaced by another build. Its sources: https://github.com/lovell/sharp-libvips
The font DejaVu Sans is in packages/dejavu-fonts-ttf. The list prices of models are those of LiteLLM (MIT).
`;

/** Licences whose packages may be part of the program. Another one is a decision, and a line here. */
const ACCEPTED = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'Unlicense',
  'Zlib',
]);
/** Packages whose licence is in a text, read by a person. dejavu-fonts-ttf: that of Bitstream Vera, free to embed. */
const READ_LICENCES = new Set(['dejavu-fonts-ttf']);

/**
 * Returns the notices of the packages in the lock file that run with the program: name, version, licence, and its text as
 * far as the package is installed and has it.
 * @throws Error if a package has a licence that is not known to be acceptable.
 */
export function describeThirdParties(): string {
  const packages = listProductionPackages();
  const unknown = packages.filter((each) => !isAccepted(each)).map(({ name, license }) => `${name} (${license})`);
  if (unknown.length > 0) throw new Error(`licences to decide about: ${unknown.join(', ')}`);
  const namesByText = new Map<string, string[]>();
  for (const each of packages) {
    for (const text of readTexts(each)) namesByText.set(text, [...(namesByText.get(text) ?? []), toTitle(each)]);
  }
  const list = [...new Set(packages.map((each) => `${toTitle(each)}: ${each.license}`))].sort();
  const texts = [...namesByText].map(([text, names]) => `${[...new Set(names)].sort().join('\n')}\n\n${text}\n`);
  return [HEAD, `${list.join('\n')}\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

function isAccepted({ name, license }: LockedPackage): boolean {
  if (license === undefined || READ_LICENCES.has(name)) return READ_LICENCES.has(name);
  const terms = license.replaceAll(/[()]/g, '').split(/ AND /);
  return terms.every((term) => term.split(' OR ').some((choice) => ACCEPTED.has(choice)));
}

function readTexts({ folder }: LockedPackage): readonly string[] {
  const place = new URL(`${folder}/`, ROOT);
  if (!existsSync(place)) return [];
  const names = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names
    .filter(({ name }) => LICENCE_FILE.test(name))
    .map(({ name }) => readFileSync(new URL(name, place), 'utf8').replaceAll('\r\n', '\n').trim());
}

function toTitle({ name, version }: LockedPackage): string {
  return `${name} ${version}`;
}
