import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/request.ts';
import type { Pages } from '../api/use-pages.ts';
import type { List, Query } from '../api/use-query.ts';
import { toAddress } from '../router.ts';
import { useLocale, useSharedTexts } from '../view-context.ts';
import { Button } from './button.tsx';
import { describeError } from './describe-error.ts';

interface LoadedProps<Data> {
  readonly query: Query<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** Shows what a query has answered, or why it has not. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, reload } = query;
  return (
    <>
      {error && <Failure error={error} onRetry={reload} />}
      {data === undefined ? error ? null : <Loading /> : children(data)}
    </>
  );
}

interface LoadedListProps<Item> extends ItemsProps<Item> {
  readonly query: Query<List<Item>>;
}

/** Shows a list that is loaded as a whole. */
export function LoadedList<Item>({ query, ...items }: LoadedListProps<Item>) {
  return <Loaded query={query}>{({ data }) => <Items items={data} {...items} />}</Loaded>;
}

interface PagedProps<Item> extends ItemsProps<Item> {
  readonly pages: Pages<Item>;
  /** For lists that end with the first page: text of the button above them, which loads the next page. */
  readonly earlier?: string;
}

/** Shows a list that is loaded page by page. */
export function Paged<Item>({ pages, earlier, ...shown }: PagedProps<Item>) {
  const words = useSharedTexts();
  const { items, error, isLoading, loadMore, retry } = pages;
  const next = (
    <>
      {error && <Failure error={error} onRetry={retry} />}
      {isLoading && <Loading />}
      {loadMore && <Button onPress={loadMore}>{earlier ?? words.loadMore}</Button>}
    </>
  );
  return (
    <>
      {earlier !== undefined && next}
      {items && <Items items={items} {...shown} />}
      {earlier === undefined && next}
    </>
  );
}

interface ItemsProps<Item> {
  /** Text for an empty list. */
  readonly empty?: string;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

function Items<Item>({ items, empty, children }: ItemsProps<Item> & { readonly items: readonly Item[] }) {
  const { nothing } = useSharedTexts();
  return items.length === 0 ? <p class="dim">{empty ?? nothing}</p> : children(items);
}

function Loading() {
  return (
    <p class="dim" role="status">
      {useSharedTexts().loading}
    </p>
  );
}

function Failure({ error, onRetry }: { readonly error: ApiError; readonly onRetry: () => void }) {
  const words = useSharedTexts();
  return (
    <div class="failure" role="alert">
      <p>{describeError(useLocale(), error)}</p>
      <Button onPress={onRetry}>{words.retry}</Button>
    </div>
  );
}

interface DetailProps<Data> {
  /** Name of the page with the list. */
  readonly page: string;
  /** Text of the link to the list. */
  readonly back: string;
  /** Text for 404. */
  readonly gone: string;
  readonly query: Query<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** One item of a list, with a link to the list. */
export function Detail<Data>({ page, back, gone, query, children }: DetailProps<Data>) {
  return (
    <>
      <p class="back">
        <a href={toAddress(page)}>{back}</a>
      </p>
      {query.error?.status === 404 ? <p role="alert">{gone}</p> : <Loaded query={query}>{children}</Loaded>}
    </>
  );
}
