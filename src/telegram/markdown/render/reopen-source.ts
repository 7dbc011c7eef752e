import { CONTINUED } from '../parse/prepare-source.ts';
import type { Container } from '../parse/source-position.ts';

/** Returns the Markdown that reopens the containers for a page that begins within one of their lines. */
export function reopenWithinLine(containers: readonly Container[]): string {
  return hasItem(containers) ? `${openContainers(containers)}${CONTINUED} ` : openContainers(containers);
}

/**
 * Returns the Markdown that reopens the containers for a page that begins with a whole line, which has its own `>` and
 * indentation.
 */
export function reopenBeforeLine(containers: readonly Container[]): string {
  if (!hasItem(containers)) return '';
  // The blank line allows any block to follow: a list that doesn't begin with 1 can't interrupt a paragraph.
  return `${openContainers(containers)}${CONTINUED}\n${getLinePrefix(containers).trimEnd()}\n`;
}

/** Returns the Markdown that reopens a block with its first lines: a fence, or a table's header. */
export function reopenBlock(containers: readonly Container[], firstLines: readonly string[]): string {
  const prefix = getLinePrefix(containers);
  return reopenBeforeLine(containers) + firstLines.map((line) => `${prefix}${line}\n`).join('');
}

/** Returns the prefix of each line within the containers. */
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
