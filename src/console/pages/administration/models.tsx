import { useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';
import type { ManagedModel, Provider } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import type { Page, PageProps } from '../../page.ts';
import { Card } from '../../ui/card.tsx';
import { Choice, Field, useSearch } from '../../ui/field.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useLocale, useSharedTexts, useTexts } from '../../view-context.ts';

/** Models with their providers and prices. */
export const modelsPage: Page = {
  name: 'models',
  title: { en: 'Models', ru: 'Модели' },
  icon: 'model',
  isForAdmins: true,
  View: ModelsView,
};

const PRICED = ['', 'true', 'false'] as const;

/** @param rest the name of a model is searched for. */
function ModelsView({ rest: [asked = ''] }: PageProps) {
  return <ModelList key={asked} asked={asked} />;
}

function ModelList({ asked }: { readonly asked: string }) {
  const words = useTexts(texts);
  const providers = useQuery<List<Provider>>('api/providers');
  const [provider, setProvider] = useState('');
  const [priced, setPriced] = useState<(typeof PRICED)[number]>('');
  const { search, field } = useSearch(asked);
  const filter = new URLSearchParams({ limit: '100' });
  if (search !== '') filter.set('search', search);
  if (provider !== '') filter.set('provider', provider);
  if (priced !== '') filter.set('priced', priced);
  const models = usePages<ManagedModel>(`api/models?${filter}`);
  const names = providers.data?.data.map(({ name }) => name) ?? [];
  return (
    <>
      <Filters search={<Field label={words.search} {...field} />} values={[provider, priced]}>
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
      </Filters>
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
  const words = useTexts(texts);
  const { unknown, kinds } = useSharedTexts();
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

type Price = NonNullable<ManagedModel['targets'][number]['price']>;

const SHOWN = [
  'input',
  'output',
  'cached_input',
  'image',
  'audio_minute',
  'characters',
  'request',
] as const satisfies readonly (keyof Price)[];

/** Returns the main prices of a model: `$0.15 input · $0.60 output`. */
function listPrices(locale: string, price: Price, { prices, free }: Pick<(typeof texts)['en'], 'prices' | 'free'>) {
  const known = SHOWN.flatMap((name) => {
    const amount = price[name];
    return amount === null ? [] : [{ name, amount }];
  });
  if (known.every(({ amount }) => amount === 0)) return free;
  return known.map(({ name, amount }) => `${dollarsOf(locale, amount)} ${prices[name]}`).join(' · ');
}

const texts = defineTexts({
  en: {
    models: 'Models',
    model: 'Model',
    search: 'Name',
    type: 'Kind',
    provider: 'Provider',
    anyProvider: 'any',
    price: 'Price',
    pricedFilter: { any: 'any', true: 'known', false: 'unknown' },
    prices: {
      input: 'per 1M input tokens',
      output: 'per 1M output tokens',
      cached_input: 'per 1M cached tokens',
      image: 'per image',
      audio_minute: 'per minute',
      characters: 'per 1M characters',
      request: 'per request',
    },
    free: 'free',
    source: 'Comes from',
    sources: {
      'providers-file': 'providers file',
      provider: 'provider',
      list: 'price list',
      free: 'runs on your machines',
    },
    none: 'No model matches.',
  },
  ru: {
    models: 'Модели',
    model: 'Модель',
    search: 'Название',
    type: 'Вид',
    provider: 'Провайдер',
    anyProvider: 'любой',
    price: 'Цена',
    pricedFilter: { any: 'любая', true: 'известна', false: 'неизвестна' },
    prices: {
      input: 'за 1 млн токенов на входе',
      output: 'за 1 млн токенов на выходе',
      cached_input: 'за 1 млн токенов из кэша',
      image: 'за картинку',
      audio_minute: 'за минуту',
      characters: 'за 1 млн символов',
      request: 'за запрос',
    },
    free: 'бесплатно',
    source: 'Откуда',
    sources: {
      'providers-file': 'файл провайдеров',
      provider: 'провайдер',
      list: 'прайс-лист',
      free: 'на ваших машинах',
    },
    none: 'Таких моделей нет.',
  },
});
