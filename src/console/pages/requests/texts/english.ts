export const english = {
  all: () => 'All requests:',
  groupBy: 'Group by',
  columns: { model: 'Model', provider: 'Provider', user: 'User', kind: 'Kind' },
  by: { model: 'By model', provider: 'By provider', user: 'By user', kind: 'By kind' },
  user: (id: string) => `User ${id}`,
};
