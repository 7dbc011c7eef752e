import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { DatabaseConfig } from '../../src/database/connect.ts';
import { openProcessChannel, type ProcessChannel } from '../../src/database/process-channel.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { startGate } from '../support/stores/gate.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

describeOnEveryDatabase('process channel', (createDatabase) => {
  let number = 0;
  const database = startBeforeAll(() => createDatabase());

  const { logger } = createRecordingLogger();
  const waits = (check: () => void) => vi.waitFor(check);
  /** One process. It writes the messages it receives into `heard`. */
  const join = (
    channel: string,
    heard: JsonObject[] = [],
    config: DatabaseConfig = database.config,
  ): ProcessChannel => {
    const broadcast = openProcessChannel(
      { db: database.db, logger },
      { database: config, channel, onMessage: (message) => void heard.push(message) },
    );
    onTestFinished(() => broadcast.close());
    return broadcast;
  };
  const createChannel = () => `test_${++number}`;
  /** Sends until a message arrives, because the start of listening is not reported. */
  const tellUntilHeard = async (teller: ProcessChannel, message: JsonObject, heard: readonly JsonObject[]) => {
    await vi.waitFor(async () => {
      await teller.notify(message);
      expect(heard).toContainEqual(message);
    });
  };

  it('delivers nothing when the database belongs to one process', async ({ skip }) => {
    skip(database.config.kind === 'postgres', 'a server has many');
    const heard: JsonObject[] = [];
    const channel = createChannel();
    join(channel, heard);
    await join(channel).notify({ chatQueues: [1] });
    expect(heard).toEqual([]);
  });

  it('delivers a message to all other processes on its channel, and to no other channel', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database has one process');
    const [own, first, second, strange]: JsonObject[][] = [[], [], [], []];
    const channel = createChannel();
    const teller = join(channel, own);
    join(channel, first);
    join(channel, second);
    join(createChannel(), strange);
    await tellUntilHeard(teller, { isThere: true }, first ?? []);
    await tellUntilHeard(teller, { isThere: true }, second ?? []);
    await teller.notify({ chatQueues: [1, -1_001_234_567_890], text: 'it\u2019s "quoted"' });
    for (const heard of [first, second])
      await waits(() =>
        expect(heard?.at(-1)).toEqual({ chatQueues: [1, -1_001_234_567_890], text: 'it\u2019s "quoted"' }),
      );
    expect([own, strange]).toEqual([[], []]);
  });

  it('ignores notifications that this service did not send', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database has one process');
    const heard: JsonObject[] = [];
    const channel = createChannel();
    join(channel, heard);
    const teller = join(channel);
    await tellUntilHeard(teller, { round: 1 }, heard);
    for (const text of ['', 'no JSON', '[]', '{"message": 1}'])
      await database.db.execute(sql`select pg_notify(${channel}, ${text})`);
    await teller.notify({ round: 2 });
    await waits(() => expect(heard.at(-1)).toEqual({ round: 2 }));
    expect(heard.filter(({ round }) => round === undefined)).toEqual([]);
  });

  it('delivers messages again after the connection was lost', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database has no connection');
    const heard: JsonObject[] = [];
    const channel = createChannel();
    join(channel, heard);
    const teller = join(channel);
    await tellUntilHeard(teller, { round: 1 }, heard);
    await database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'switchboard listener'`);
    await tellUntilHeard(teller, { round: 2 }, heard);
  });

  it('starts delivering when a server that was unavailable at first is reachable', async ({ skip }) => {
    const { config } = database;
    if (config.kind === 'embedded') return skip('an embedded database is always there');
    const { hostname, port } = new URL(config.url);
    const gate = await startGate({ host: hostname, port: Number(port || 5432) });
    onTestFinished(() => gate.close());
    const url = new URL(config.url);
    url.hostname = '127.0.0.1';
    url.port = String(gate.port);
    // The first connection closes before its first byte, as if the server were still starting.
    const held = gate.hold(() => () => true);
    const heard: JsonObject[] = [];
    const channel = createChannel();
    join(channel, heard, { kind: 'postgres', url: url.href });
    await held;
    await tellUntilHeard(join(channel), { isThere: true }, heard);
  });

  it('closes without an error when the server can not be reached', async ({ skip }) => {
    skip(database.config.kind === 'embedded', 'an embedded database is always there');
    const broadcast = join(createChannel(), [], { kind: 'postgres', url: 'postgres://nobody@127.0.0.1:9/nothing' });
    await broadcast.notify({ chatQueues: [1] });
    await broadcast.close();
  });
});
