import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { ToolError } from '../tool.ts';

/**
 * Converts the result of a call to text. Content of other types becomes a placeholder.
 * @throws ToolError if the server reports that the call has failed.
 */
export function readMcpResult({ content, structuredContent, isError }: CallToolResult): string {
  const contentText = content.map(toText).join('\n\n');
  const text = contentText === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : contentText;
  if (isError) throw new ToolError(text === '' ? 'it failed' : text);
  return text;
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[file ${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'image':
    case 'audio':
      return `[${block.type}]`;
  }
}
