import type { ComponentChildren } from 'preact';
import type { Query } from '../api/use-query.ts';
import { toAddress } from '../router.ts';
import { Loaded } from './loaded.tsx';

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

/** One thing of a list, with a link to the list. */
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
