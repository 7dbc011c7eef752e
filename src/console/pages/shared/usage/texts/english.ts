import { pluralOf } from '../../../../../bot/texts/plural.ts';

export const english = {
  days: (count: number) => `${count} days`,
  period: 'Period',
  figures: { cost_usd: 'Cost', tokens: 'Tokens', requests: 'Requests', images: 'Images' },
  shown: 'Show',
  perDay: { cost_usd: 'Cost per day', tokens: 'Tokens per day', requests: 'Requests per day' },
  byModel: 'By model',
  model: 'Model',
  others: 'Others',
  none: 'No usage in this period.',
  unpriced: (count: number) =>
    `The cost of ${pluralOf('en', count, { one: 'request', other: 'requests' })} is not known.`,
  csv: 'Download CSV',
};
