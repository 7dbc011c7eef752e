import type { ComponentChildren } from 'preact';
import { dollarsOf } from '../../../../bot/texts/money.ts';
import type { UsageGroup } from '../../../api/types.ts';
import { useCountFormat } from '../../../formats.ts';
import { type Column, Table } from '../../../ui/table.tsx';
import { useLocale, useOwnTexts } from '../../../view-context.ts';
import { type NameOf, type Sums, sumBy } from './figures.ts';
import { texts } from './texts.ts';

interface UsageTableProps {
  /** Title of the names, such as `Model`. */
  readonly title: string;
  readonly groups: readonly UsageGroup[];
  readonly nameOf: NameOf;
  /** Default: the name. */
  readonly cell?: (name: string) => ComponentChildren;
}

/** Usage added up by a name. */
export function UsageTable({ title, groups, nameOf, cell = (name) => name }: UsageTableProps) {
  const words = useOwnTexts(texts);
  const locale = useLocale();
  const formatCount = useCountFormat();
  const columns: readonly Column<Sums>[] = [
    { title, cell: ({ name }) => cell(name) },
    { title: words.figures.requests, isNumber: true, cell: ({ requests }) => formatCount(requests) },
    { title: words.figures.tokens, isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
    { title: words.figures.images, isNumber: true, cell: ({ images }) => formatCount(images) },
    { title: words.figures.cost_usd, isNumber: true, cell: ({ cost_usd }) => dollarsOf(locale, cost_usd) },
  ];
  const unpriced = groups.reduce((sum, group) => sum + group.requests_without_cost, 0);
  return (
    <>
      <Table label={title} columns={columns} rows={sumBy(groups, nameOf)} keyOf={({ name }) => name} />
      {unpriced > 0 && <p class="dim">{words.unpriced(unpriced)}</p>}
    </>
  );
}
