import type { Page } from './page.ts';
import { allKeysPage } from './pages/all-keys/index.ts';
import { auditLogPage } from './pages/audit-log/index.ts';
import { broadcastsPage } from './pages/broadcasts/index.ts';
import { conversationsPage } from './pages/conversations/index.ts';
import { filesPage } from './pages/files/index.ts';
import { keysPage } from './pages/keys/index.ts';
import { logPage } from './pages/log/index.ts';
import { memoryPage } from './pages/memory/index.ts';
import { modelsPage } from './pages/models/index.ts';
import { plansAndBudgetsPage } from './pages/plans-and-budgets/index.ts';
import { providersPage } from './pages/providers/index.ts';
import { requestsPage } from './pages/requests/index.ts';
import { sessionsPage } from './pages/sessions/index.ts';
import { settingsPage } from './pages/settings/index.ts';
import { startPage } from './pages/start/index.ts';
import { systemPage } from './pages/system/index.ts';
import { tasksPage } from './pages/tasks/index.ts';
import { usagePage } from './pages/usage/index.ts';
import { usersPage } from './pages/users/index.ts';

/** Pages in the order of the menu; the first one is the start. */
export const pages: readonly Page[] = [
  startPage,
  usagePage,
  keysPage,
  filesPage,
  conversationsPage,
  memoryPage,
  tasksPage,
  settingsPage,
  sessionsPage,
  systemPage,
  usersPage,
  allKeysPage,
  plansAndBudgetsPage,
  providersPage,
  modelsPage,
  requestsPage,
  broadcastsPage,
  auditLogPage,
  logPage,
];
