import type { FileTotals, System } from '../../api/types.ts';
import { useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useSizeFormat, useTimeFormat } from '../../formats.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;
const QUEUES = ['updates', 'chat_queues', 'busy_chats', 'telegram_calls', 'idempotent_requests', 'usage_rows'] as const;

export function SystemView() {
  const system = useQuery<System>('api/system');
  const files = useQuery<FileTotals>('api/files');
  useRefresh(system.reload, REFRESH_MS);
  useRefresh(files.reload, REFRESH_MS);
  return (
    <>
      <Loaded query={system}>{(data) => <SystemCards system={data} />}</Loaded>
      <Loaded query={files}>{(data) => <FilesCard files={data} />}</Loaded>
    </>
  );
}

function SystemCards({ system }: { readonly system: System }) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const formatTime = useTimeFormat();
  const formatSize = useSizeFormat();
  const formatCount = useCountFormat();
  const { database, memory, disk, queues } = system;
  const startedAt = new Date(Date.now() - system.uptime_seconds * 1000).toISOString();
  return (
    <>
      <Card title={words.service}>
        <Facts
          facts={[
            [words.version, system.version],
            [words.running, formatTime(startedAt)],
            [words.database, words.databaseKind[database.kind](database.version)],
            [words.node, system.node],
            [words.access, system.private ? words.private : words.public],
          ]}
        />
      </Card>
      <Card title={words.resources}>
        <Facts
          facts={[
            [words.memory, formatSize(memory.resident_bytes)],
            [words.heap, formatSize(memory.heap_bytes)],
            [words.disk, disk ? words.free(formatSize(disk.free_bytes), formatSize(disk.total_bytes)) : shared.unknown],
          ]}
        />
      </Card>
      <Card title={words.queues}>
        <Facts
          facts={QUEUES.map((name) => {
            const length = queues[name];
            return [words.queue[name], length === null ? shared.unknown : formatCount(length)];
          })}
        />
      </Card>
    </>
  );
}

function FilesCard({ files }: { readonly files: FileTotals }) {
  const words = useOwnTexts(texts);
  const formatSize = useSizeFormat();
  const formatCount = useCountFormat();
  return (
    <Card title={words.files}>
      <Facts
        facts={[
          [words.stored, `${formatCount(files.files)} · ${formatSize(files.bytes)}`],
          [words.shared, formatCount(files.shared_conversations)],
          [words.uploading, formatCount(files.uploading)],
          [words.blocked, formatCount(files.blocked)],
        ]}
      />
    </Card>
  );
}
