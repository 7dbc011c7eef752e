import { defineTexts } from '../../../texts/define-texts.ts';
import type { FileTotals, System } from '../../api/types.ts';
import { useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useSizeFormat, useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useSharedTexts, useTexts } from '../../view-context.ts';

/** State of the process, its database and its queues. */
export const systemPage: Page = {
  name: 'system',
  title: { en: 'System', ru: 'Состояние' },
  icon: 'server',
  isForAdmins: true,
  View: SystemView,
};

const REFRESH_MS = 10_000;
const QUEUES = ['updates', 'chat_queues', 'busy_chats', 'telegram_calls', 'idempotent_requests', 'usage_rows'] as const;

function SystemView() {
  const system = useQuery<System>('api/system');
  const files = useQuery<FileTotals>('api/files');
  useRefresh(system.reload, REFRESH_MS);
  useRefresh(files.reload, REFRESH_MS);
  return (
    <div class="columns">
      <Loaded query={system}>{(data) => <SystemCards system={data} />}</Loaded>
      <Loaded query={files}>{(data) => <FilesCard files={data} />}</Loaded>
    </div>
  );
}

function SystemCards({ system }: { readonly system: System }) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const formatSize = useSizeFormat();
  const formatCount = useCountFormat();
  const { database, memory, disk, queues } = system;
  const jobNames = new Map(Object.entries(words.jobs));
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
          facts={[
            ...QUEUES.map((name): readonly [string, string] => {
              const length = queues[name];
              return [words.queue[name], length === null ? shared.unknown : formatCount(length)];
            }),
            ...Object.entries({ ...queues.jobs, ...queues.durable_jobs }).map(
              ([kind, count]): readonly [string, string] => [jobNames.get(kind) ?? kind, formatCount(count)],
            ),
          ]}
        />
      </Card>
    </>
  );
}

function FilesCard({ files }: { readonly files: FileTotals }) {
  const words = useTexts(texts);
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
          ...(files.bytes_to_move > 0 ? [[words.toMove, formatSize(files.bytes_to_move)] as const] : []),
        ]}
      />
    </Card>
  );
}

const texts = defineTexts({
  en: {
    service: 'Service',
    version: 'Version',
    running: 'Running since',
    database: 'Database',
    databaseKind: {
      embedded: (version: string) => `embedded Postgres ${version}`,
      server: (version: string) => `Postgres ${version}`,
    },
    node: 'Node.js',
    access: 'Access',
    private: 'only admins and allowed users',
    public: 'everyone who is not banned',
    resources: 'Memory and disk',
    memory: 'Memory of the process',
    heap: 'JavaScript heap',
    disk: 'Disk',
    free: (free: string, total: string) => `${free} of ${total} free`,
    queues: 'Queues',
    queue: {
      updates: 'Waiting Telegram updates',
      chat_queues: 'Chats with waiting updates',
      busy_chats: 'Chats with running answers',
      telegram_calls: 'Waiting calls to Telegram',
      idempotent_requests: 'Requests with an idempotency key',
      usage_rows: 'Usage not yet written',
    },
    jobs: {
      answer: 'Jobs: answers in chats',
      image: 'Jobs: images',
      save: 'Jobs: files to save',
      inline: 'Jobs: inline answers',
      voice: 'Jobs: answers read aloud',
      response: 'Jobs: background responses of the API',
    },
    files: 'Files of users',
    stored: 'Stored',
    shared: 'Of these, shared conversations',
    uploading: 'Uploads in progress',
    blocked: 'Blocked contents',
    toMove: 'In another place than new files',
  },
  ru: {
    service: 'Сервис',
    version: 'Версия',
    running: 'Работает с',
    database: 'База данных',
    databaseKind: {
      embedded: (version) => `встроенный Postgres ${version}`,
      server: (version) => `Postgres ${version}`,
    },
    node: 'Node.js',
    access: 'Доступ',
    private: 'только администраторы и те, кому разрешено',
    public: 'все, кроме заблокированных',
    resources: 'Память и диск',
    memory: 'Память процесса',
    heap: 'Куча JavaScript',
    disk: 'Диск',
    free: (free, total) => `свободно ${free} из ${total}`,
    queues: 'Очереди',
    queue: {
      updates: 'Ожидающие обновления Telegram',
      chat_queues: 'Чаты с ожидающими обновлениями',
      busy_chats: 'Чаты, где готовится ответ',
      telegram_calls: 'Ожидающие вызовы Telegram',
      idempotent_requests: 'Запросы с ключом идемпотентности',
      usage_rows: 'Ещё не записанный расход',
    },
    jobs: {
      answer: 'Задания: ответы в чатах',
      image: 'Задания: изображения',
      save: 'Задания: сохраняемые файлы',
      inline: 'Задания: ответы в строке ввода',
      voice: 'Задания: озвучивание ответов',
      response: 'Задания: фоновые ответы API',
    },
    files: 'Файлы пользователей',
    stored: 'Хранится',
    shared: 'Из них страницы разговоров',
    uploading: 'Загружается сейчас',
    blocked: 'Заблокированное содержимое',
    toMove: 'Не там, где новые файлы',
  },
});
