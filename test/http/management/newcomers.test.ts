import { expect, test } from 'vitest';
import { ADMIN, startManagementService } from '../../support/harness/http-users.ts';
import { startBeforeAll } from '../../support/vitest/tiers.ts';

const OTHER_ADMIN = 8;
const plans = { trusted: {}, group: {} };
const service = startBeforeAll(async () => {
  const started = await startManagementService({
    plans,
    allowedIds: [5],
    storesNames: true,
    findBotUsername: async () => 'test_bot',
  });
  started.adminIds.push(OTHER_ADMIN);
  return started;
});

const ask = async (telegramId: number, name: string) => {
  expect(await service.accessRequests.ask({ telegramId, name, language: 'en' })).toBe('asked');
};
const decide = (telegramId: number, body: object) =>
  service.manage('POST', `/api/access-requests/${telegramId}/decide`, body);
const actionsAbout = async (subject: string | number) =>
  (await service.manage('GET', `/api/audit-log?subject=${subject}`)).body.data.map(
    ({ action, reason, key }: { action: string; reason: string; key: number | null }) => [action, reason, key !== null],
  );

test('a request is allowed with a plan, as in the chat, and the user is to be told', async () => {
  await ask(100, 'Ann (@ann)');
  const { body } = await service.manage('GET', '/api/access-requests');
  expect(body.plans).toEqual(['free', 'trusted']);
  expect(body.data).toMatchObject([{ telegram_id: 100, name: 'Ann (@ann)', state: 'open', decided_by: null }]);
  expect((await decide(100, { decision: 'allow', plan: 'group' })).body.error.param).toBe('plan');
  expect((await decide(100, { decision: 'block', plan: 'trusted' })).status).toBe(400);
  const decided = await decide(100, { decision: 'allow', plan: 'trusted' });
  expect([decided.status, decided.body.state, decided.body.decided_by]).toEqual([200, 'allowed', ADMIN]);
  expect(await service.administration.admit(100)).toBe('welcome');
  expect(await service.accounts.findTelegramUser(100)).toMatchObject({ plan: 'trusted' });
  expect((await service.accessRequests.listToTell(10)).map(({ telegramId }) => telegramId)).toEqual([100]);
  expect(await actionsAbout(100)).toEqual([
    ['plan', 'trusted', true],
    ['allow', '', true],
  ]);
});

test('of two admins, the second one reads that the other has decided', async () => {
  await ask(101, 'Bob');
  const { id } = await service.accounts.ensureTelegramUser(OTHER_ADMIN);
  await service.manage('PATCH', `/api/users/${id}`, { note: 'Eve, Support' });
  const decision = { kind: 'ignore' } as const;
  const outcomes = await Promise.all([
    service.accessRequests.decide({ adminTelegramId: OTHER_ADMIN, telegramId: 101, decision }),
    service.accessRequests.decide({ adminTelegramId: OTHER_ADMIN, telegramId: 101, decision }),
  ]);
  expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(1);
  const late = await decide(101, { decision: 'allow' });
  expect([late.status, late.body.error.message]).toEqual([409, 'It was ignored before, by Eve, Support.']);
  expect(await service.administration.admit(101)).toBe('stranger');
  expect(await actionsAbout(101)).toEqual([['ignore-request', '', false]]);
});

test('a blocked account is banned, and one that became an admin can not be blocked', async () => {
  await ask(102, 'Mallory');
  expect((await decide(102, { decision: 'block' })).body.state).toBe('blocked');
  expect(await service.administration.admit(102)).toBe('banned');
  await ask(103, 'Carol');
  service.adminIds.push(103);
  expect((await decide(103, { decision: 'block' })).status).toBe(409);
  service.adminIds.pop();
  expect((await decide(103, { decision: 'allow' })).status).toBe(404);
});

test('ten thousand requests leave a list of a hundred', async () => {
  const outcomes = { asked: 0, already: 0, full: 0 };
  for (let sent = 0; sent < 10_000; sent += 200) {
    const ids = Array.from({ length: 200 }, (_, index) => 1_000_000 + sent + index);
    const asked = await Promise.all(
      ids.map((telegramId) => service.accessRequests.ask({ telegramId, name: 'x'.repeat(500), language: undefined })),
    );
    for (const outcome of asked) outcomes[outcome] += 1;
  }
  expect(outcomes).toEqual({ asked: 100, already: 0, full: 9900 });
  const { body } = await service.manage('GET', '/api/access-requests');
  const open = body.data.filter(({ state }: { state: string }) => state === 'open');
  expect(open).toHaveLength(100);
  expect(open[0].name).toHaveLength(100);
});

test('an invitation lets accounts in until it is used up or revoked', async () => {
  const made = await service.manage('POST', '/api/invitations', { plan: 'trusted', max_uses: 2, days: 3 });
  expect([made.status, made.body.created_by, made.body.max_uses]).toEqual([201, ADMIN, 2]);
  expect(made.body.link).toMatch(/^https:\/\/t\.me\/test_bot\?start=j_/);
  const code = made.body.link.split('start=j_')[1];
  expect(await service.invitations.redeem(code, 200)).toBe(true);
  const { body } = await service.manage('GET', '/api/invitations');
  expect(body.data).toEqual([
    { ...made.body, use_count: 1, works: true, link: undefined, created_by_name: made.body.created_by_name },
  ]);
  expect((await service.manage('DELETE', `/api/invitations/${made.body.id}`)).status).toBe(204);
  expect((await service.manage('DELETE', `/api/invitations/${made.body.id}`)).status).toBe(404);
  expect(await service.invitations.redeem(code, 201)).toBe(false);
  expect(await service.administration.admit(200)).toBe('welcome');
  expect(await actionsAbout(`invitation:${made.body.id}`)).toEqual([
    ['revoke-invitation', '', true],
    ['create-invitation', '2 × trusted', true],
  ]);
});

test('impossible invitations are refused', async () => {
  for (const body of [{ max_uses: 0 }, { days: 91 }, { plan: 'none' }, { max_uses: 1.5 }, { uses: 1 }])
    expect((await service.manage('POST', '/api/invitations', body)).status).toBe(400);
});

test('groups whose members have access are listed with their titles, and ended', async () => {
  service.groupAccess.useTelegram({ findMember: async () => true, findTitle: async () => 'Family' });
  await service.groupAccess.setAdmitting(-300, true, ADMIN);
  await service.groupAccess.setAdmitting(-301, true, 55);
  expect(await service.administration.admit(300)).toBe('welcome');
  const { body } = await service.manage('GET', '/api/admitted-groups');
  expect(body.data).toMatchObject([
    { telegram_id: -300, title: 'Family', admitted_by: ADMIN, works: true },
    { telegram_id: -301, admitted_by: 55, works: false },
  ]);
  const end = () => service.manage('DELETE', '/api/admitted-groups/-300');
  expect([(await end()).status, (await end()).status]).toEqual([204, 404]);
  expect(await service.administration.admit(300)).toBe('stranger');
  expect(await actionsAbout(-300)).toEqual([
    ['dismiss-group', '', true],
    ['admit-group', '', false],
  ]);
});
