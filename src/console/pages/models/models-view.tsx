import { useState } from 'preact/hooks';
import type { ManagedModel, Provider } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { Card } from '../../ui/card.tsx';
import { Choice, Field, useSearch } from '../../ui/field.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useLocale, useOwnTexts, useTexts } from '../../view-context.ts';
import { listPrices } from './list-prices.ts';
import { texts } from './texts.ts';

const PRICED = ['', 'true', 'false'] as const;

export function ModelsView() {
  const words = useOwnTexts(texts);
  const providers = useQuery<List<Provider>>('api/providers');
  const [provider, setProvider] = useState('');
  const [priced, setPriced] = useState<(typeof PRICED)[number]>('');
  const { wanted, field } = useSearch();
  const filter = new URLSearchParams({ limit: '100' });
  if (wanted !== '') filter.set('search', wanted);
  if (provider !== '') filter.set('provider', provider);
  if (priced !== '') filter.set('priced', priced);
  const models = usePages<ManagedModel>(`api/models?${filter}`);
  const names = providers.data?.data.map(({ name }) => name) ?? [];
  return (
    <>
      <div class="tools">
        <Field label={words.search} {...field} />
        <Choice
          label={words.provider}
          value={provider}
          options={[['', words.anyProvider], ...names.map((name) => [name, name] as const)]}
          onChange={setProvider}
        />
        <Choice
          label={words.price}
          value={priced}
          options={PRICED.map((value) => [value, words.pricedFilter[value || 'any']])}
          onChange={setPriced}
        />
      </div>
      <Card>
        <Paged pages={models} empty={words.none}>
          {(items) => <ModelTable models={items} />}
        </Paged>
      </Card>
    </>
  );
}

/** One row for each provider of a model. */
function ModelTable({ models }: { readonly models: readonly ManagedModel[] }) {
  const words = useOwnTexts(texts);
  const { unknown, kinds } = useTexts();
  const locale = useLocale();
  const rows = models.flatMap(({ id, type, targets }) => targets.map((target) => ({ id, type, target })));
  return (
    <Table
      label={words.models}
      rows={rows}
      keyOf={({ id, target }) => `${id} ${target.provider} ${target.model}`}
      columns={[
        { title: words.model, cell: ({ id }) => id },
        { title: words.type, cell: ({ type }) => kinds[type] },
        { title: words.provider, cell: ({ target }) => target.provider },
        {
          title: words.price,
          cell: ({ target: { price } }) => (price ? listPrices(locale, price, words) : unknown),
        },
        {
          title: words.source,
          cell: ({ target: { price_source: source } }) =>
            source === null ? '' : `${words.sources[source.kind]}${source.date === null ? '' : `, ${source.date}`}`,
        },
      ]}
    />
  );
}
