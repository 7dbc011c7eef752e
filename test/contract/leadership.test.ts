import { randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { leadWork } from '../../src/database/leadership.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

describeOnEveryDatabase('leadership', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());

  const { logger } = createRecordingLogger();
  const waits = (check: () => void) => vi.waitFor(check);
  /** One process that leads until it is told to end or loses leadership. */
  const createCandidate = (name: string, key: number, events: string[]) => {
    const stopping = new AbortController();
    const ended = leadWork(
      { clock: systemClock, logger },
      { database: database.config, key, signal: stopping.signal },
      async (signal) => {
        events.push(`${name} leads`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        events.push(`${name} ends`);
      },
    );
    return { ended, stop: () => stopping.abort() };
  };

  it('is granted at once and ends with the process', async () => {
    const events: string[] = [];
    const only = createCandidate('a', randomInt(2 ** 40), events);
    await waits(() => expect(events).toEqual(['a leads']));
    only.stop();
    await only.ended;
    expect(events).toEqual(['a leads', 'a ends']);
  });

  it('propagates errors of the task', async () => {
    const work = leadWork(
      { clock: systemClock, logger },
      { database: database.config, key: randomInt(2 ** 40), signal: new AbortController().signal },
      () => Promise.reject(new Error('no token')),
    );
    await expect(work).rejects.toThrow('no token');
  });

  it('belongs to one process at a time and passes to the next', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database has one process');
    const events: string[] = [];
    const key = randomInt(2 ** 40);
    const first = createCandidate('a', key, events);
    await waits(() => expect(events).toEqual(['a leads']));
    const second = createCandidate('b', key, events);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(events).toEqual(['a leads']);
    first.stop();
    await first.ended;
    await waits(() => expect(events).toEqual(['a leads', 'a ends', 'b leads']));
    second.stop();
    await second.ended;
  });

  it('is lost with its connection: the task is aborted, and the process leads again later', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database has no connection');
    const events: string[] = [];
    const only = createCandidate('a', randomInt(2 ** 40), events);
    await waits(() => expect(events).toEqual(['a leads']));
    await database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'switchboard leader'`);
    await waits(() => expect(events).toEqual(['a leads', 'a ends', 'a leads']));
    only.stop();
    await only.ended;
  });
});
