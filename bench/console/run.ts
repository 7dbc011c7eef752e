/**
 * Measures the pages of the console with 10 000 users and a million rows of usage:
 *
 *   npm run bench:console -- [--rounds N] [--users N] [--usage N] [--database URL]
 *
 * It fills an embedded database, or a new one on the Postgres server at the URL, and deletes it at the end. Each page is
 * the requests that it makes, sent at once. Lists are read page by page to their end only where the page does so.
 */
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { type SignedInUser, startConsoleService } from '../../test/support/harness/http-users.ts';
import { createEmbeddedTestDatabase, createServerTestDatabase } from '../../test/support/stores/test-database.ts';
import { median } from '../statistics.ts';
import { fillDatabase } from './fill-database.ts';
import { listPages } from './page-requests.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    users: { type: 'string', default: '10000' },
    usage: { type: 'string', default: '1000000' },
    database: { type: 'string' },
  },
});
const GOAL_MS = 300;
const ADMIN_ID = 42;
/** Error of the timer that measures the event loop. */
const RESOLUTION_MS = 1;
/** Pages that the console loads one after the other for a chart. */
const MAX_LIST_PAGES = 20;

const { database: serverUrl } = options;
const database = serverUrl
  ? await createServerTestDatabase(serverUrl)
  : await createEmbeddedTestDatabase({ isNew: true });
const service = await startConsoleService({ database });
try {
  service.adminIds.push(ADMIN_ID);
  const admin = await service.signIn(ADMIN_ID);
  await fillDatabase(database.db, admin.userId, {
    users: Number(options.users),
    usageRows: Number(options.usage),
    ...{ files: 1000, conversations: 3000, longestConversation: 1000, memories: 200, tasks: 50 },
    ...{ broadcasts: 200, auditRows: 5000 },
  });
  const conversationId = (await admin.send('GET', '/api/me/conversations?limit=1')).body.data[0].id;
  const taskId = (await admin.send('GET', '/api/me/tasks?limit=1')).body.data[0].id;
  const cores = availableParallelism();
  console.log(`Node ${process.version}, ${database.config.kind}, ${cores} cores, load ${loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    `| page | median, ms | worst, ms | <= ${GOAL_MS} | blocks, ms | status |\n| --- | --- | --- | --- | --- | --- |`,
  );
  for (const { name, paths } of listPages({ ownerId: admin.userId, conversationId, taskId })) {
    const samples = [];
    for (let round = 0; round < Number(options.rounds); round += 1) samples.push(await measure(admin, paths));
    const times = samples.map(({ ms }) => ms);
    const blocks = Math.max(...samples.map(({ blockedMs }) => blockedMs));
    const statuses = [...new Set(samples.flatMap((sample) => sample.statuses))].join(', ');
    const isMet = median(times) <= GOAL_MS && statuses === '200' ? 'met' : 'MISSED';
    console.log(
      `| ${name} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} | ${isMet} | ${blocks.toFixed(0)} | ${statuses} |`,
    );
  }
} finally {
  await service.close();
  await database.release();
  await database.close();
}

async function measure(admin: SignedInUser, paths: readonly string[]) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const beganAt = performance.now();
  const statuses = (await Promise.all(paths.map((path) => load(admin, path)))).flat();
  const ms = performance.now() - beganAt;
  delay.disable();
  return { ms, statuses, blockedMs: delay.max / 1e6 };
}

/** Loads a list by day and another column to its end, as the charts do; of others the first page. */
async function load(admin: SignedInUser, path: string): Promise<readonly number[]> {
  const statuses: number[] = [];
  let address = path;
  for (let page = 0; page < MAX_LIST_PAGES; page += 1) {
    const { status, body } = await admin.send('GET', address);
    statuses.push(status);
    if (!path.includes('group_by=day') || !body.next_cursor) break;
    address = `${path}&cursor=${body.next_cursor}`;
  }
  return statuses;
}
