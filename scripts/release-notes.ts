/**
 * Prints the notes of a release, its part of CHANGELOG.md: `node scripts/release-notes.ts v0.3.0`. Ends with an error if
 * the changelog has no such version, or the package has another one.
 */
import { readFileSync } from 'node:fs';
import { ROOT } from '../src/lib/layout.ts';

const [tag = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');
const { version: packed } = JSON.parse(read('package.json'));
if (packed !== version) throw new Error(`package.json has the version ${packed}, the tag is ${tag}`);
const parts = read('CHANGELOG.md').split(/^(?=## )/m);
const part = parts.find((each) => each.startsWith(`## [${version}] - `));
if (part === undefined) throw new Error(`CHANGELOG.md has no dated version ${version}`);
process.stdout.write(`${part.slice(part.indexOf('\n')).trim()}\n`);

function read(name: string): string {
  return readFileSync(new URL(name, ROOT), 'utf8');
}
