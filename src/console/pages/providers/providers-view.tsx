import type { Provider } from '../../api/types.ts';
import { type List, useQuery, useRefresh } from '../../api/use-query.ts';
import { useCountFormat, useTimeFormat } from '../../formats.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

export function ProvidersView() {
  const words = useOwnTexts(texts);
  const providers = useQuery<List<Provider>>('api/providers');
  useRefresh(providers.reload, REFRESH_MS);
  return (
    <LoadedList query={providers} empty={words.none}>
      {(items) => items.map((provider) => <ProviderCard key={provider.name} provider={provider} />)}
    </LoadedList>
  );
}

function ProviderCard({ provider }: { readonly provider: Provider }) {
  const words = useOwnTexts(texts);
  const { unknown } = useTexts();
  const formatTime = useTimeFormat();
  const formatCount = useCountFormat();
  const { name, models, list, circuits, median_ms: medianMs } = provider;
  const source = list.source === null ? words.noList : words.sources[list.source];
  return (
    <Card title={name} actions={<span class="badge">{words.states[toState(provider)]}</span>}>
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
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  return (
    <Table
      label={words.circuits}
      rows={circuits}
      keyOf={({ model }) => model ?? ''}
      columns={[
        { title: words.circuit, cell: ({ model }) => model ?? words.whole },
        { title: words.state, cell: ({ state }) => words.circuitStates[state] },
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
