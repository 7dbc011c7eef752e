/** Page of the console with the requests that it makes when it opens, or after a search or a choice. */
export interface PageRequests {
  readonly name: string;
  readonly paths: readonly string[];
}

const DAY_MS = 86_400_000;

interface MeasuredThings {
  /** User with most data. */
  readonly ownerId: number;
  readonly conversationId: string;
  readonly taskId: string;
}

/** Returns all pages. */
export function listPages({ ownerId, conversationId, taskId }: MeasuredThings): readonly PageRequests[] {
  const since = (days: number) =>
    `from=${new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)}&time_zone=Europe/Berlin`;
  const requests = (days: number, column: string) => [
    `/api/usage/summary?group_by=day&limit=100&${since(days)}`,
    `/api/usage/summary?group_by=${column}&order=cost&limit=100&${since(days)}`,
    '/api/failures',
  ];
  return [
    { name: 'start', paths: ['/api/system', '/api/providers'] },
    {
      name: 'usage, 30 days',
      paths: [`/api/me/usage/summary?group_by=day,model&limit=100&${since(30)}`, '/api/me/limits'],
    },
    {
      name: 'usage, 90 days',
      paths: [`/api/me/usage/summary?group_by=day,model&limit=100&${since(90)}`, '/api/me/limits'],
    },
    { name: 'usage, CSV of 90 days', paths: [`/api/me/usage?format=csv&${since(90)}`] },
    { name: 'keys', paths: ['/api/me/keys'] },
    { name: 'files', paths: ['/api/me/files?limit=50'] },
    { name: 'files, search', paths: ['/api/me/files?limit=50&search=77'] },
    { name: 'conversations', paths: ['/api/me/conversations?limit=50'] },
    { name: 'conversations, search', paths: ['/api/me/conversations?limit=50&search=weather'] },
    {
      name: 'one conversation',
      paths: [`/api/me/conversations/${conversationId}`, `/api/me/conversations/${conversationId}/messages?limit=50`],
    },
    { name: 'memory', paths: ['/api/me/memories'] },
    { name: 'tasks', paths: ['/api/me/tasks?limit=50'] },
    { name: 'one task', paths: [`/api/me/tasks/${taskId}`, `/api/me/tasks/${taskId}/runs`] },
    { name: 'settings', paths: ['/api/me/settings'] },
    { name: 'sessions', paths: ['/api/me/sessions'] },
    { name: 'system', paths: ['/api/system', '/api/files'] },
    { name: 'users', paths: ['/api/plans', '/api/users?limit=50'] },
    { name: 'users, of a plan', paths: ['/api/users?limit=50&plan=trusted'] },
    { name: 'users, banned', paths: ['/api/users?limit=50&banned=true'] },
    {
      name: 'one user',
      paths: [
        `/api/users/${ownerId}`,
        `/api/budgets/user:${ownerId}`,
        `/api/keys?user=${ownerId}&limit=100`,
        `/api/usage/summary?group_by=day,model&limit=100&user=${ownerId}&${since(30)}`,
      ],
    },
    { name: 'all keys', paths: ['/api/keys?limit=50'] },
    { name: 'all keys, of a name', paths: ['/api/keys?limit=50&search=laptop'] },
    { name: 'plans and budgets', paths: ['/api/plans', '/api/budgets?limit=50'] },
    { name: 'providers', paths: ['/api/providers'] },
    { name: 'models', paths: ['/api/models?limit=100'] },
    { name: 'requests by model, 7 days', paths: requests(7, 'model') },
    { name: 'requests by model, 30 days', paths: requests(30, 'model') },
    { name: 'requests by user, 30 days', paths: requests(30, 'user') },
    { name: 'requests by model, 90 days', paths: requests(90, 'model') },
    { name: 'requests by user, 90 days', paths: requests(90, 'user') },
    { name: 'requests, CSV of 30 days', paths: [`/api/usage/summary?group_by=day,model&format=csv&${since(30)}`] },
    { name: 'broadcasts', paths: ['/api/broadcasts?limit=50'] },
    { name: 'audit log', paths: ['/api/audit-log?limit=50'] },
    { name: 'log', paths: ['/api/log'] },
  ];
}
