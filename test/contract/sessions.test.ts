import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { forgetUser } from '../../src/core/personal-data/forget-user.ts';
import { createSessions, MAX_SESSIONS, type Sessions } from '../../src/core/sessions/index.ts';
import { sessions as sessionTable, users } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const ANN = 100;
const BOB = 200;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describeOnEveryDatabase('sessions of the console', (createDatabase) => {
  let clock: FakeClock;
  let sessions: Sessions;
  let banned: number[];
  let adminIds: number[];
  let ann: number;
  let bob: number;
  const database = startBeforeAll(() => createDatabase());
  beforeEach(async () => {
    await database.db.delete(users);
    clock = createFakeClock(Date.UTC(2026, 10, 24));
    banned = [];
    adminIds = [];
    sessions = createSessions({ db: database.db, clock, adminIds, isAdmitted: async (id) => !banned.includes(id) });
    const rows = await database.db
      .insert(users)
      .values([{ telegramId: ANN }, { telegramId: BOB }])
      .returning();
    [ann = 0, bob = 0] = rows.map(({ id }) => id);
  });

  const begin = (userId: number) => sessions.begin(userId, { origin: 'link', userAgent: BROWSER });

  it('belong to their user, and know whether it is an admin now', async () => {
    const { token, session } = await begin(ann);
    const identity = { sessionId: session.id, userId: ann, telegramId: ANN, isAdmin: false };
    expect(await sessions.find(token, BROWSER)).toEqual(identity);
    adminIds.push(ANN);
    expect(await sessions.find(token, BROWSER)).toEqual({ ...identity, isAdmin: true });
    adminIds.pop();
    expect(await sessions.find(token, BROWSER)).toEqual(identity);
  });

  it('do not work for another client, a banned user, or with another token', async () => {
    const { token } = await begin(ann);
    expect(await sessions.find(token, 'curl/8.0')).toBeUndefined();
    expect(await sessions.find(`${token}x`, BROWSER)).toBeUndefined();
    expect(await sessions.find('', BROWSER)).toBeUndefined();
    banned.push(ANN);
    expect(await sessions.find(token, BROWSER)).toBeUndefined();
    banned.pop();
    expect(await sessions.find(token, BROWSER)).toBeDefined();
  });

  it('end after twelve hours, those of Mini Apps after one', async () => {
    const inBrowser = await begin(ann);
    const inTelegram = await sessions.begin(ann, { origin: 'mini-app', userAgent: BROWSER });
    await clock.advance(HOUR_MS);
    expect(await sessions.find(inTelegram.token, BROWSER)).toBeUndefined();
    expect(await sessions.find(inBrowser.token, BROWSER)).toBeDefined();
    expect((await sessions.list(ann)).map(({ id }) => id)).toEqual([inBrowser.session.id]);
    await clock.advance(11 * HOUR_MS);
    expect(await sessions.find(inBrowser.token, BROWSER)).toBeUndefined();
  });

  it('begin once by a code, within five minutes', async () => {
    const { code } = await sessions.createCode(ann);
    const [first, second] = await Promise.all([sessions.signIn(code, BROWSER), sessions.signIn(code, BROWSER)]);
    const began = [first, second].filter((session) => session !== undefined);
    expect(began).toHaveLength(1);
    expect(await sessions.find(began[0]?.token ?? '', BROWSER)).toMatchObject({ userId: ann });

    const late = await sessions.createCode(ann);
    await clock.advance(5 * MINUTE_MS);
    expect(await sessions.signIn(late.code, BROWSER)).toBeUndefined();

    const replaced = await sessions.createCode(ann);
    const newest = await sessions.createCode(ann);
    expect(await sessions.signIn(replaced.code, BROWSER)).toBeUndefined();
    expect(await sessions.signIn(newest.code, BROWSER)).toBeDefined();
    expect(await sessions.signIn('junk', BROWSER)).toBeUndefined();
  });

  it('begin by one code only, of several made at once', async () => {
    const codes = await Promise.all(Array.from({ length: 8 }, () => sessions.createCode(ann)));
    const began = await Promise.all(codes.map(({ code }) => sessions.signIn(code, BROWSER)));
    expect(began.filter((session) => session !== undefined)).toHaveLength(1);
  });

  it('are gone after the deletion of their user, also those that begin meanwhile', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { code } = await sessions.createCode(ann);
      const forgotten = forgetUser(database.db, { userId: ann, telegramId: ANN, now: new Date(clock.now()) });
      await Promise.all([forgotten, sleep(round / 2).then(() => sessions.signIn(code, BROWSER))]);
      expect(await sessions.list(ann)).toEqual([]);
    }
  });

  it('are at most ten, of which the one that was used longest ago ends', async () => {
    const first = await begin(ann);
    const second = await begin(ann);
    await clock.advance(2 * MINUTE_MS);
    await sessions.find(first.token, BROWSER);
    for (let count = 2; count < MAX_SESSIONS + 1; count += 1) await begin(ann);
    expect(await sessions.list(ann)).toHaveLength(MAX_SESSIONS);
    expect(await sessions.find(second.token, BROWSER)).toBeUndefined();
    expect(await sessions.find(first.token, BROWSER)).toBeDefined();
  });

  it('are ended by their user only, one or all others', async () => {
    const mine = await begin(ann);
    const other = await begin(ann);
    const bobs = await begin(bob);
    expect(await sessions.end(bob, mine.session.id)).toBe(false);
    expect(await sessions.end(ann, other.session.id)).toBe(true);
    expect(await sessions.end(ann, other.session.id)).toBe(false);
    expect(await sessions.find(other.token, BROWSER)).toBeUndefined();
    await begin(ann);
    const { code } = await sessions.createCode(ann);
    expect(await sessions.endAll(ann, mine.session.id)).toBe(1);
    expect(await sessions.find(mine.token, BROWSER)).toBeDefined();
    expect(await sessions.find(bobs.token, BROWSER)).toBeDefined();
    expect(await sessions.signIn(code, BROWSER)).toBeUndefined();
  });

  it('keep neither tokens nor codes, and any User-Agent', async () => {
    const strange = `\u0000\ud800${'x'.repeat(5000)}`;
    const { token } = await sessions.begin(ann, { origin: 'link', userAgent: strange });
    expect(await sessions.find(token, strange)).toBeDefined();
    const rows = JSON.stringify(await database.db.select().from(sessionTable));
    expect(rows).not.toContain(token);
    expect(rows.length).toBeLessThan(1000);
  });
});
