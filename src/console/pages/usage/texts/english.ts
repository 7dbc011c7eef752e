export const english = {
  left: 'Remaining',
  noLimits: 'No limits.',
  quota: {
    requests_per_minute: 'Requests per minute',
    tokens_per_day: 'Tokens today',
    images_per_day: 'Images today',
  },
  budget: { day: 'Budget of today', month: 'Budget of this month', total: 'Budget' },
  of: (left: string, limit: string) => `${left} of ${limit} left`,
  until: (time: string) => `until ${time}`,
};
