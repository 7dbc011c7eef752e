import { defineTexts } from '../../../texts/define-texts.ts';
import type { LogEntry } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useTexts } from '../../view-context.ts';

/** Warnings and errors of the process. */
export const logPage: Page = {
  name: 'log',
  title: { en: 'Log', ru: 'Журнал ошибок' },
  icon: 'log',
  isForAdmins: true,
  View: LogView,
};

const REFRESH_MS = 5000;

function LogView() {
  const words = useTexts(texts);
  const log = useQuery<List<LogEntry>>('api/log');
  useRefresh(log.reload, REFRESH_MS);
  return (
    <Card>
      <p class="dim">{words.about}</p>
      <LoadedList query={log} empty={words.none}>
        {(entries) => <LogTable entries={entries} />}
      </LoadedList>
    </Card>
  );
}

function LogTable({ entries }: { readonly entries: readonly LogEntry[] }) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  return (
    <Table
      label={words.entries}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { title: words.time, cell: ({ time }) => formatTime(time) },
        {
          title: words.level,
          cell: ({ level }) => <Badge kind={level === 'warn' ? 'warning' : 'bad'}>{words.levels[level]}</Badge>,
        },
        {
          title: words.message,
          cell: ({ message, error }) => (error === null ? message : `${message}: ${error}`),
        },
        { title: words.facts, cell: ({ facts }) => facts && <code>{facts}</code> },
      ]}
    />
  );
}

const texts = defineTexts({
  en: {
    about: 'The last warnings and errors of this process. The whole log is its standard output.',
    none: 'No warnings and no errors since the start.',
    entries: 'Warnings and errors',
    time: 'Time',
    level: 'Level',
    levels: { warn: 'warning', error: 'error', fatal: 'fatal error' },
    message: 'Message',
    facts: 'Details',
  },
  ru: {
    about: 'Последние предупреждения и ошибки этого процесса. Весь журнал — в его стандартном выводе.',
    none: 'С запуска не было ни предупреждений, ни ошибок.',
    entries: 'Предупреждения и ошибки',
    time: 'Время',
    level: 'Уровень',
    levels: { warn: 'предупреждение', error: 'ошибка', fatal: 'фатальная ошибка' },
    message: 'Сообщение',
    facts: 'Подробности',
  },
});
