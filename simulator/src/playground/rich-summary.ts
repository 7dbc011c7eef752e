import type { RichBlock, RichText } from '@grammyjs/types';
import { translate } from './texts.ts';

/** Converts rich text to plain text, for summaries. */
export function toPlainText(text: RichText | undefined): string {
  if (text === undefined) return '';
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(toPlainText).join('');
  if ('text' in text) return toPlainText(text.text);
  if ('expression' in text) return text.expression;
  if ('alternative_text' in text) return text.alternative_text;
  return '';
}

/** Returns the first words of a rich message, for the chat list and screen readers. */
export function summarizeBlocks(blocks: readonly RichBlock[]): string {
  const texts = blocks.map((block) => {
    try {
      return summarizeBlock(block);
    } catch {
      // Unchecked blocks may have any form.
      return '';
    }
  });
  return texts.filter(Boolean).join(' ').trim() || translate('Message');
}

function summarizeBlock(block: RichBlock): string {
  if ('text' in block) return toPlainText(block.text);
  if (block.type === 'list') return block.items.map((item) => summarizeBlocks(item.blocks)).join(', ');
  if (block.type === 'table')
    return block.cells.map((row) => row.map((cell) => toPlainText(cell.text)).join(' ')).join(', ');
  if (block.type === 'mathematical_expression') return block.expression;
  if (block.type === 'details') return toPlainText(block.summary);
  return 'blocks' in block ? summarizeBlocks(block.blocks) : '';
}
