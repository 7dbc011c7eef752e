import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { readDataUrl } from '../../../../lib/formats/data-url.ts';
import type { Download } from '../../../../lib/http/public-fetch.ts';
import { type CallIdRule, CallIds } from '../../../../protocols/call-ids.ts';
import { readInput } from '../../../../protocols/print-arguments.ts';
import type { AssistantMessage, ChatMessage, Content, ContentPart, ToolCall } from '../../contract/chat-request.ts';
import { UntranslatableError } from '../../contract/model-errors.ts';
import { createFileDownloads } from '../download-files.ts';
import { restoreReasoning } from './kept-reasoning.ts';

/** Converts images and files. Those of one request are counted together. */
type FileReader = ReturnType<typeof createFileReader>;

export interface PromptContext {
  /** Key of the vendor's fields in the SDK. */
  readonly metadataKey: string;
  readonly files: FileReader;
}

/**
 * Converts messages. System messages go to the front, wherever they are; empty texts, which vendors refuse, are left
 * out.
 * @throws UntranslatableError; the signal's reason.
 */
export async function toPrompt(
  messages: readonly ChatMessage[],
  context: PromptContext,
): Promise<LanguageModelV4Prompt> {
  const system: LanguageModelV4Prompt = [];
  const prompt: LanguageModelV4Prompt = [];
  const toolNames = new Map<string, string>();
  const ids = new CallIds(CALL_IDS);
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        system.push(...toTexts(message.content).map((text) => ({ role: 'system' as const, content: text })));
        break;
      case 'user': {
        const content = await toUserContent(message.content, context.files);
        if (content.length > 0) prompt.push({ role: 'user', content });
        break;
      }
      case 'assistant': {
        const toolCalls = toValidCalls(message.toolCalls, ids);
        for (const { id, name } of toolCalls) toolNames.set(id, name);
        const content = toAssistantContent({ ...message, toolCalls }, index > lastQuestion, context);
        if (content.length > 0) prompt.push({ role: 'assistant', content });
        break;
      }
      case 'tool': {
        const toolCallId = ids.takeResult(message.toolCallId);
        const toolName = toolNames.get(toolCallId) ?? '';
        prompt.push({
          role: 'tool',
          content: [await toToolResult({ ...message, toolCallId }, toolName, context.files)],
        });
        break;
      }
    }
  }
  return [...system, ...prompt];
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const CALL_IDS: CallIdRule = { forbidden: /[^\w-]/g, maxLength: 64, distinctIn: 'conversation' };

function toValidCalls(calls: readonly ToolCall[] = [], ids: CallIds): readonly ToolCall[] {
  if (calls.length === 0) return calls;
  const validIds = ids.addCalls(calls.map(({ id }) => id));
  return calls.map((call, index) => ({ ...call, id: validIds[index] ?? call.id }));
}

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

async function toUserContent(content: Content, files: FileReader): Promise<UserContent> {
  const parts: UserContent = [];
  for (const part of toParts(content)) {
    if (part.type === 'image' || part.type === 'file') parts.push(await files.read(part));
    else parts.push(...toTextsOfPart(part).map((text) => ({ type: 'text' as const, text })));
  }
  return parts;
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** Reasoning is sent back only while tools are called for the last question: vendors need it only there. */
function toAssistantContent(
  message: AssistantMessage,
  isOfLastQuestion: boolean,
  { metadataKey }: PromptContext,
): AssistantContent {
  const { content, toolCalls = [] } = message;
  return [
    ...(isOfLastQuestion ? restoreReasoning(toolCalls, metadataKey) : []),
    ...toTexts(content).map((text) => ({ type: 'text' as const, text })),
    ...toolCalls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      input: readInput(call.arguments),
    })),
  ];
}

type ToolMessage = Extract<ChatMessage, { readonly role: 'tool' }>;

async function toToolResult(
  { toolCallId, content }: ToolMessage,
  toolName: string,
  files: FileReader,
): Promise<LanguageModelV4ToolResultPart> {
  const parts = await toUserContent(content, files);
  // Vendors refuse empty texts.
  if (parts.length === 0) parts.push({ type: 'text', text: '(empty)' });
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'content', value: parts } };
}

/** Returns the texts of content that may have no other parts. */
function toTexts(content: Content): readonly string[] {
  return toParts(content).flatMap(toTextsOfPart);
}

function toParts(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Chat completions have a part for a refusal in an earlier answer. Here it is text. */
function toTextsOfPart(part: ContentPart): readonly string[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [part.text];
  const type = part.type === 'other' ? part.native['type'] : part.type;
  if (part.type === 'other' && type === 'refusal') return [String(part.native['refusal'] ?? '')];
  throw new UntranslatableError('messages', `must not have content parts of type '${String(type)}' with this model`);
}

/** Text formats that vendors don't know by their names. */
const TEXT_TYPES: Readonly<Record<string, string>> = { 'application/json': 'text/plain' };

/** Creates a reader for one request. Vendors do not fetch addresses, so files at public addresses are downloaded here. */
export function createFileReader(download: Download, signal: AbortSignal) {
  const files = createFileDownloads(download, signal);
  return {
    /** @throws UntranslatableError; the signal's reason. */
    async read(part: Extract<ContentPart, { readonly type: 'image' | 'file' }>): Promise<LanguageModelV4FilePart> {
      const filename = part.type === 'file' && part.name ? { filename: part.name } : {};
      if (/^https?:/i.test(part.url)) {
        const bytes = await files.fetch(part.url);
        // Packages encode bytes much slower than Node.
        const data = { type: 'data' as const, data: bytes.toString('base64') };
        return { type: 'file', mediaType: guessMediaType(part.type, bytes), data, ...filename };
      }
      const file = readDataUrl(part.url);
      if (!file)
        throw new UntranslatableError('messages', 'must have images and files as web addresses or data URLs in base64');
      files.count((file.base64.length * 3) / 4);
      const mediaType = TEXT_TYPES[file.mediaType] ?? file.mediaType;
      return { type: 'file', mediaType, data: { type: 'data', data: file.base64 }, ...filename };
    },
  };
}

const SAMPLE_BYTES = 4096;

/** Packages recognize the formats of images. */
function guessMediaType(type: 'image' | 'file', bytes: Buffer): string {
  if (type === 'image') return 'image';
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf';
  if (!bytes.subarray(0, SAMPLE_BYTES).includes(0)) return 'text/plain';
  throw new UntranslatableError('messages', 'must have only PDF and text as files at web addresses');
}
