import type { MessageEntity } from '@grammyjs/types';
import type { FormattedText } from '../../../../src/telegram/markdown/index.ts';

/** Lists what Telegram would refuse, repair or ignore in a text with entities; empty for a valid one. */
export function findEntityProblems({ text, entities }: FormattedText): string[] {
  const problems: string[] = [];
  if (text !== text.trimEnd()) problems.push('whitespace at the end');
  if (/^[ \n]/.test(text) && entities[0]?.offset !== 0) problems.push('whitespace at the start');
  if (!text.isWellFormed()) problems.push('half a surrogate pair');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Telegram takes these out
  if (/[\u0000-\u0009\u000B-\u001F\u007F\u2028-\u202E\uFDD0-\uFDEF]/.test(text)) problems.push('control characters');
  if (entities.length > 100) problems.push(`${entities.length} entities`);
  entities.forEach((entity, index) => {
    const name = `${entity.type}[${entity.offset},${entity.length}]`;
    problems.push(...findPlaceProblems(text, entity).map((problem) => `${name}: ${problem}`));
    const previous = entities[index - 1];
    if (previous && previous.offset > entity.offset) problems.push(`${name}: out of order`);
    for (const other of entities.slice(index + 1)) {
      const problem = findPairProblem(entity, other);
      if (problem) problems.push(`${name} with ${other.type}[${other.offset},${other.length}]: ${problem}`);
    }
  });
  return problems;
}

function findPlaceProblems(text: string, { type, offset, length }: MessageEntity): string[] {
  const content = text.slice(offset, offset + length);
  const problems: string[] = [];
  if (length <= 0 || offset < 0 || offset + length > text.length) problems.push('out of bounds');
  if (!content.isWellFormed()) problems.push('cuts a surrogate pair');
  if (type === 'pre' ? content !== content.trimEnd() : content !== content.trim())
    problems.push('whitespace at its border');
  return problems;
}

function findPairProblem(a: MessageEntity, b: MessageEntity): string | undefined {
  const aEnd = a.offset + a.length;
  const bEnd = b.offset + b.length;
  if (aEnd <= b.offset || bEnd <= a.offset) return undefined;
  const isNested = (a.offset <= b.offset && bEnd <= aEnd) || (b.offset <= a.offset && aEnd <= bEnd);
  if (!isNested) return 'overlaps in part';
  if (a.type === b.type || [a, b].every(({ type }) => type.endsWith('blockquote'))) return 'nested in its own kind';
  const isCode = [a, b].some(({ type }) => type === 'code' || type === 'pre');
  return isCode && ![a, b].some(({ type }) => type.endsWith('blockquote')) ? 'code with another look' : undefined;
}
