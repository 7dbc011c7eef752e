import { defineTexts } from '../../../texts/define-texts.ts';
import type { Provider } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useSharedTexts, useTexts } from '../../view-context.ts';

/** Health of the providers. */
export const providersPage: Page = {
  name: 'providers',
  title: { en: 'Providers', ru: 'Провайдеры' },
  icon: 'server',
  isForAdmins: true,
  View: ProvidersView,
};

const REFRESH_MS = 10_000;

const BADGES = { healthy: 'good', degraded: 'warning', resting: 'warning' } as const;
const CIRCUIT_BADGES = { closed: 'good', open: 'bad', 'half-open': 'warning' } as const;

function ProvidersView() {
  const words = useTexts(texts);
  const providers = useQuery<List<Provider>>('api/providers');
  useRefresh(providers.reload, REFRESH_MS);
  return (
    <LoadedList query={providers} empty={words.none}>
      {(items) => (
        <div class="columns">
          {items.map((provider) => (
            <ProviderCard key={provider.name} provider={provider} />
          ))}
        </div>
      )}
    </LoadedList>
  );
}

function ProviderCard({ provider }: { readonly provider: Provider }) {
  const words = useTexts(texts);
  const { unknown } = useSharedTexts();
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  const { name, models, list, circuits, median_ms: medianMs } = provider;
  const state = toState(provider);
  const source = list.source === null ? words.noList : words.sources[list.source];
  return (
    <Card title={name} actions={<Badge kind={BADGES[state]}>{words.states[state]}</Badge>}>
      <Facts
        facts={[
          [words.models, formatCount(models)],
          [words.list, list.fetched_at === null ? source : `${source}, ${formatTime(list.fetched_at)}`],
          [words.median, medianMs === null ? unknown : words.ms(formatCount(medianMs))],
        ]}
      />
      {list.error !== null && <p class="error">{words.listFailed(list.error)}</p>}
      {circuits.length > 0 && (
        <>
          <p>{words.circuitsAbout}</p>
          <CircuitTable circuits={circuits} />
        </>
      )}
    </Card>
  );
}

function CircuitTable({ circuits }: Pick<Provider, 'circuits'>) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  return (
    <Table
      label={words.circuits}
      rows={circuits}
      keyOf={({ model }) => model ?? ''}
      columns={[
        { title: words.circuit, cell: ({ model }) => model ?? words.whole },
        {
          title: words.state,
          cell: ({ state }) => <Badge kind={CIRCUIT_BADGES[state]}>{words.circuitStates[state]}</Badge>,
        },
        { title: words.failures, isNumber: true, cell: ({ failures }) => failures },
        { title: words.openUntil, cell: ({ open_until: until }) => (until === null ? '' : formatTime(until)) },
      ]}
    />
  );
}

function toState({ list, circuits }: Provider) {
  const open = circuits.filter(({ state }) => state !== 'closed');
  if (open.some(({ model }) => model === null)) return 'resting';
  return open.length > 0 || list.error !== null ? 'degraded' : 'healthy';
}

const texts = defineTexts({
  en: {
    none: 'No provider is configured.',
    states: { healthy: 'works', degraded: 'works in part', resting: 'asked last after failures' },
    models: 'Models',
    list: 'List of models',
    noList: 'none yet',
    sources: { host: 'from the provider', cache: 'stored earlier' },
    listFailed: (reason: string) => `The list could not be loaded: ${reason}`,
    median: 'Median of the last hour',
    ms: (count: string) => `${count} ms`,
    circuits: 'Models that failed',
    circuitsAbout:
      'A provider or model that fails several times in a row is asked last for a while, then tried again. Its models still answer.',
    circuit: 'Model',
    whole: 'whole provider',
    state: 'State',
    circuitStates: { closed: 'works', open: 'asked last', 'half-open': 'being tried again' },
    failures: 'Failures in a row',
    openUntil: 'Until',
  },
  ru: {
    none: 'Ни один провайдер не настроен.',
    states: { healthy: 'работает', degraded: 'работает частично', resting: 'после сбоев – в конце очереди' },
    models: 'Модели',
    list: 'Список моделей',
    noList: 'ещё нет',
    sources: { host: 'от провайдера', cache: 'сохранён раньше' },
    listFailed: (reason) => `Список не загрузился: ${reason}`,
    median: 'Медиана за последний час',
    ms: (count) => `${count} мс`,
    circuits: 'Модели с ошибками',
    circuitsAbout:
      'После нескольких ошибок подряд к провайдеру или модели некоторое время обращаются в последнюю очередь, а затем пробуют снова. Модели при этом отвечают.',
    circuit: 'Модель',
    whole: 'весь провайдер',
    state: 'Состояние',
    circuitStates: { closed: 'работает', open: 'в конце очереди', 'half-open': 'проверяется' },
    failures: 'Сбоев подряд',
    openUntil: 'До',
  },
});
