import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visit, type Visits } from '../support/clients/console-visits.ts';
import type { ConsoleService, SignedInUser } from '../support/harness/http-users.ts';

const ADMIN = 7;
const OTHER_ADMIN = 8;
const FUTURE_ADMIN = 9;

describe.skipIf(findChromium() === undefined)('access in the console of a private service', () => {
  let service: ConsoleService;
  let visits: Visits;
  let page: Page;
  let press: Visit['press'];
  let confirm: Visit['confirm'];
  let other: SignedInUser;
  beforeAll(async () => {
    const options = { allowedIds: [5], plans: { trusted: {} }, findBotUsername: async () => 'test_bot' };
    visits = await startVisits(options);
    ({ service } = visits);
    service.adminIds.push(ADMIN, OTHER_ADMIN);
    other = await service.signIn(OTHER_ADMIN);
    await other.send('PATCH', `/api/users/${other.userId}`, { note: 'Eve, Support' });
    for (const [id, name] of ['Ann (@ann)', '<b>Bob</b>', 'Carol', 'Mallory'].entries())
      await service.accessRequests.ask({ telegramId: 100 + id, name, language: 'en' });
    const visit = await visits.enter(ADMIN);
    ({ page, press, confirm } = visit);
    await visit.open('access');
  });
  afterAll(async () => {
    await visits?.end();
    await visits?.close();
  });

  const item = (name: string) => page.getByRole('listitem').filter({ hasText: name });

  test('allows, ignores and blocks those who ask', async () => {
    await expectGoodLook(page);
    await press('Allow: Ann (@ann)');
    await item('Ann (@ann)').getByText('allowed').waitFor();
    await press('Allow with a plan…: <b>Bob</b>');
    await page.getByRole('dialog').getByLabel('Plan').selectOption('trusted');
    await confirm('Allow');
    await item('<b>Bob</b>').getByText('allowed').waitFor();
    expect(await service.accounts.findTelegramUser(101)).toMatchObject({ plan: 'trusted' });
    await press('Block: Mallory');
    await confirm('Block');
    await item('Mallory').getByText('blocked').waitFor();
    const admitted = await Promise.all([100, 101, 102, 103].map((id) => service.administration.admit(id)));
    expect(admitted).toEqual(['welcome', 'welcome', 'stranger', 'banned']);
  });

  test('tells the second admin that it was decided', async () => {
    visits.allow(/status of 409/);
    // The page does not learn of the decision by itself.
    const { promise: pressed, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/access-requests', (route) => pressed.then(() => route.continue()));
    await page.waitForRequest('**/api/access-requests');
    await other.send('POST', '/api/access-requests/102/decide', { decision: 'ignore' });
    await press('Allow: Carol');
    release();
    await page.getByText(`It was ignored before, by Eve, Support (${OTHER_ADMIN}).`).waitFor();
    await item('Carol').getByText('ignored').waitFor();
    expect(await service.administration.admit(102)).toBe('stranger');
  });

  test('tells that an account which is an admin by now can’t be blocked', async () => {
    visits.allow(/status of 409/);
    await service.accessRequests.ask({ telegramId: FUTURE_ADMIN, name: 'Grace', language: 'en' });
    await page.reload();
    await press('Block: Grace');
    service.adminIds.push(FUTURE_ADMIN);
    await confirm('Block');
    await page.getByText('The account is an admin by now.').waitFor();
    await confirm('Cancel');
  });

  test('makes a link, shows it once, and revokes it', async () => {
    await press('New link');
    await page.getByLabel('For how many accounts').fill('2');
    await page.getByRole('dialog').getByLabel('Plan').selectOption('trusted');
    await confirm('Make the link');
    const link = await page
      .getByRole('dialog')
      .getByText(/start=j_/)
      .innerText();
    await expectGoodLook(page);
    await confirm('Close');
    expect(await service.invitations.redeem(link.split('start=j_')[1] ?? '', 200)).toBe(true);
    await page.reload();
    await item('№ 1').getByText('1 of 2 accounts, plan trusted').waitFor();
    await expectGoodLook(page);
    await press('Revoke: № 1');
    await confirm('Revoke');
    await page.getByText('There are none.', { exact: true }).waitFor();
  });

  test('ends the access of the members of a group', async () => {
    service.groupAccess.useTelegram({ findMember: async () => true, findTitle: async () => 'Family' });
    await service.groupAccess.setAdmitting(-100, true, OTHER_ADMIN);
    expect(await service.administration.admit(300)).toBe('welcome');
    await page.reload();
    await item('Family').getByText(`Let in by Eve, Support (${OTHER_ADMIN}) · -100`).waitFor();
    await expectGoodLook(page);
    await press('End: Family');
    await confirm('End');
    await page.getByText(/^There are none\. An admin/).waitFor();
    expect(await service.administration.admit(300)).toBe('stranger');
  });
});
