import type { StoredFile } from '../../../core/storage/index.ts';
import { toCsv } from '../../../lib/csv.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { toMarkdown } from '../conversations/to-markdown.ts';
import { toFileLink } from '../files/file-view.ts';

/** Document of an export. */
interface ExportDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

const FILES_AT_ONCE = 100;
const MAX_FILES = 10_000;

/** Returns the user's data in the database as Markdown, JSON and CSV, and a list of the stored files as CSV. */
export async function toExportDocuments(
  deps: Pick<BotDeps, 'personalData' | 'cloudUrl' | 'telegramUrl'>,
  ctx: BotContext,
  files: readonly StoredFile[],
): Promise<readonly ExportDocument[]> {
  const kept = await deps.personalData.export(ctx.user.id);
  const { account, conversations, isComplete } = kept;
  const json = JSON.stringify({ account, isComplete, conversations }, undefined, 2);
  return [
    toFile('conversations.md', toMarkdown(kept)),
    toFile('conversations.json', json),
    toFile('usage.csv', toUsageTable(kept.usage)),
    toFile('files.csv', toFileTable(deps, ctx, files)),
  ];
}

function toFile(name: string, text: string): ExportDocument {
  return { name, bytes: Buffer.from(text.toWellFormed()) };
}

function toUsageTable(rows: Awaited<ReturnType<BotDeps['personalData']['export']>>['usage']): string {
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
  return toCsv(
    header,
    rows.map((row) => [
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
    ]),
  );
}

function toFileTable(
  deps: Pick<BotDeps, 'cloudUrl' | 'telegramUrl'>,
  ctx: BotContext,
  files: readonly StoredFile[],
): string {
  return toCsv(
    ['name', 'bytes', 'media_type', 'stored', 'expires', 'sha256', 'link'],
    files.map((file) => [
      file.name,
      file.sizeBytes,
      file.mediaType,
      file.createdAt.toISOString(),
      file.expiresAt?.toISOString(),
      file.sha256,
      toFileLink(deps, ctx.me, file),
    ]),
  );
}

/** Returns the user's files, newest first. */
export async function listAllFiles({ storage }: Pick<BotDeps, 'storage'>, userId: number): Promise<StoredFile[]> {
  const all: StoredFile[] = [];
  while (all.length < MAX_FILES) {
    const { files } = await storage.list(userId, { offset: all.length, limit: FILES_AT_ONCE });
    all.push(...files);
    if (files.length < FILES_AT_ONCE) break;
  }
  return all;
}
