import { CONTINUED } from './prepare-source.ts';
import type { Container } from './source-position.ts';

/** The Markdown that reopens the containers where a page begins within a line of theirs. */
export function reopenWithinLine(containers: readonly Container[]): string {
  return hasItem(containers) ? `${openContainers(containers)}${CONTINUED} ` : openContainers(containers);
}

/** The Markdown that reopens the containers where a page begins with a whole line, which has its own `>` and indentation. */
export function reopenBeforeLine(containers: readonly Container[]): string {
  if (!hasItem(containers)) return '';
  // The blank line lets any block follow: a list that doesn't begin with 1 can't interrupt a paragraph.
  return `${openContainers(containers)}${CONTINUED}\n${getLinePrefix(containers).trimEnd()}\n`;
}

/** The Markdown that reopens a block with a first line of its own: a fence, a table's header. */
export function reopenBlock(containers: readonly Container[], firstLines: readonly string[]): string {
  const prefix = getLinePrefix(containers);
  return reopenBeforeLine(containers) + firstLines.map((line) => `${prefix}${line}\n`).join('');
}

/** What each line within the containers begins with. */
export function getLinePrefix(containers: readonly Container[]): string {
  return containers.map((one) => (one.type === 'quote' ? '> ' : ' '.repeat(one.marker.length))).join('');
}

function openContainers(containers: readonly Container[]): string {
  return containers
    .map((one, index) => {
      if (one.type === 'quote') return '> ';
      if (one.numberLead === '') return one.marker;
      return `${one.numberLead}\n${getLinePrefix(containers.slice(0, index))}${one.marker}`;
    })
    .join('');
}

function hasItem(containers: readonly Container[]): boolean {
  return containers.some((one) => one.type === 'item');
}
