import type { Page } from './page.ts';
import { conversationsPage } from './pages/account/conversations/page.tsx';
import { filesPage } from './pages/account/files/page.tsx';
import { keysPage } from './pages/account/keys/page.tsx';
import { memoryPage } from './pages/account/memory.tsx';
import { sessionsPage } from './pages/account/sessions.tsx';
import { settingsPage } from './pages/account/settings/page.tsx';
import { tasksPage } from './pages/account/tasks/page.tsx';
import { usagePage } from './pages/account/usage.tsx';
import { accessPage } from './pages/administration/access/page.tsx';
import { allKeysPage } from './pages/administration/all-keys.tsx';
import { auditLogPage } from './pages/administration/audit-log.tsx';
import { broadcastsPage } from './pages/administration/broadcasts.tsx';
import { logPage } from './pages/administration/log.tsx';
import { modelsPage } from './pages/administration/models.tsx';
import { plansAndBudgetsPage } from './pages/administration/plans-and-budgets.tsx';
import { providersPage } from './pages/administration/providers.tsx';
import { requestsPage } from './pages/administration/requests.tsx';
import { serviceSettingsPage } from './pages/administration/service-settings/page.tsx';
import { systemPage } from './pages/administration/system.tsx';
import { usersPage } from './pages/administration/users/page.tsx';
import { startPage } from './pages/start/page.tsx';

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
  accessPage,
  allKeysPage,
  plansAndBudgetsPage,
  providersPage,
  modelsPage,
  serviceSettingsPage,
  requestsPage,
  broadcastsPage,
  auditLogPage,
  logPage,
];
