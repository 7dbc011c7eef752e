import type { PersonalExport } from '../../../core/personal-data/index.ts';
import type { StoredFile } from '../../../core/storage/index.ts';
import { toCsvHeader, toCsvLines } from '../../../lib/csv.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { toMarkdown } from '../conversations/to-markdown.ts';
import { toFileLink } from '../files/views.ts';

/** Document of an export. */
interface ExportDocument {
  readonly name: string;
  /** Its text in parts, each of which is made when it is needed. */
  readonly parts: Iterable<string>;
}

const FILES_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
const MAX_FILES = 10_000;

/** Returns the user's data in the database as Markdown, JSON and CSV, and a list of the stored files as CSV. */
export async function toExportDocuments(
  services: BotServices,
  ctx: BotContext,
  files: readonly StoredFile[],
): Promise<readonly ExportDocument[]> {
  const kept = await services.personalData.export(ctx.user.id);
  return [
    { name: 'conversations.md', parts: toMarkdown(kept) },
    { name: 'conversations.json', parts: toJson(kept) },
    { name: 'usage.csv', parts: toUsageTable(kept.usage) },
    { name: 'files.csv', parts: toFileTable(services, ctx, files) },
  ];
}

function* toJson({ account, isComplete, conversations }: PersonalExport): Generator<string, void, undefined> {
  yield `{\n"account": ${JSON.stringify(account, undefined, 2)},\n"isComplete": ${isComplete},\n"conversations": [`;
  for (const [at, { messages, ...conversation }] of conversations.entries()) {
    const fields = JSON.stringify(conversation, undefined, 2).slice(0, -'\n}'.length);
    yield `${at === 0 ? '' : ','}\n${fields},\n  "messages": [`;
    for (const [place, message] of messages.entries())
      yield `${place === 0 ? '' : ','}\n${JSON.stringify(message, undefined, 2)}`;
    yield '\n  ]\n}';
  }
  yield '\n]\n}\n';
}

function* toTable<Row>(
  header: readonly string[],
  rows: readonly Row[],
  toCells: (row: Row) => Parameters<typeof toCsvLines>[0][number],
): Generator<string, void, undefined> {
  yield toCsvHeader(header);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield toCsvLines(rows.slice(at, at + ROWS_AT_ONCE).map(toCells));
}

function toUsageTable(rows: PersonalExport['usage']): Iterable<string> {
  const header = [
    'time',
    'kind',
    'model',
    'provider',
    'prompt_tokens',
    'completion_tokens',
    'pictures',
    'cost_usd',
    'finish_reason',
    'duration_ms',
  ];
  return toTable(header, rows, (row) => [
    row.createdAt.toISOString(),
    row.kind,
    row.model,
    row.provider,
    row.promptTokens,
    row.completionTokens,
    row.imageCount,
    row.costUsd ?? undefined,
    row.finishReason ?? undefined,
    row.durationMs,
  ]);
}

function toFileTable(services: BotServices, ctx: BotContext, files: readonly StoredFile[]): Iterable<string> {
  return toTable(['name', 'bytes', 'media_type', 'stored', 'expires', 'sha256', 'link'], files, (file) => [
    file.name,
    file.sizeBytes,
    file.mediaType,
    file.createdAt.toISOString(),
    file.expiresAt?.toISOString(),
    file.sha256,
    toFileLink(services, ctx.me, file),
  ]);
}

/** Returns the user's files, newest first. */
export async function listAllFiles({ storage }: BotServices, userId: number): Promise<StoredFile[]> {
  const all: StoredFile[] = [];
  while (all.length < MAX_FILES) {
    const { files } = await storage.list(userId, { offset: all.length, limit: FILES_AT_ONCE });
    all.push(...files);
    if (files.length < FILES_AT_ONCE) break;
  }
  return all;
}
