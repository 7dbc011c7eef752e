import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGroupAccess } from '../../src/core/administration/index.ts';
import {
  accessRequests,
  adminActions,
  groupAdmissions,
  invitations,
  invitationUses,
} from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type BotHarness, type createBotHarness as Create, createBotHarness } from '../support/harness/bot.ts';
import type { Actor } from '../support/harness/users.ts';

let harness: BotHarness;
afterEach(() => harness.close());

const createPrivateBot = (options: Parameters<typeof Create>[0] = {}) =>
  createBotHarness({ allowedIds: [1], ...options });

/** Creates an admin whom the bot can write to. */
async function admin(name: string): Promise<Actor> {
  const chief = harness.operator(name);
  chief.writes('/start');
  await harness.sees(chief.chatId, /^Hi!/);
  return chief;
}

async function asks(who: Actor): Promise<void> {
  who.writes('Hello');
  await harness.sees(who.chatId, /This bot is private/);
  await who.presses('Ask for access');
  await harness.sees(who.chatId, /I have asked the admins/);
}

/** Makes all requests older, as the clock would in hours. */
const ages = (hours: number) =>
  harness.db.update(accessRequests).set({ askedAt: new Date(harness.now() - hours * 3_600_000) });

/** Returns the messages of the bot in a chat. */
const said = ({ chatId }: Actor) => harness.lines(chatId).filter((line) => line.startsWith('Bot:'));

describe('a stranger of a private bot', () => {
  test('asks, an admin allows, and the account is told once', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await harness.sees(chief.chatId, new RegExp(`^Ann asks for access to this bot\\.\nTelegram id: ${ann.id}$`));
    expect(harness.buttons(chief.chatId)).toBe('Allow Ignore Block');
    expect(await harness.accounts.findTelegramUser(ann.id)).toBeUndefined();
    await chief.presses('Allow');
    await harness.sees(chief.chatId, '✅ Ann: allowed by you\n\nNo requests for access are waiting.');
    await harness.sees(ann.chatId, 'You now have access. Just write to me; /help says what I can do.');
    ann.writes('Thanks');
    await harness.sees(ann.chatId, 'You said: Thanks');
    expect(said(ann).filter((line) => line.includes('You now have access'))).toHaveLength(1);
    const actions = await harness.db.select().from(adminActions);
    expect(actions.map(({ action, subject }) => [action, subject])).toEqual([['allow', `${ann.id}`]]);
  });

  test('asks once a day, also after it was ignored', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await harness.sees(chief.chatId, /asks for access/);
    await chief.presses('Ignore');
    await harness.sees(chief.chatId, /^Ann: ignored by you/);
    const ask = () => harness.accessRequests.ask({ telegramId: ann.id, name: 'Ann', language: 'en' });
    expect(await ask()).toBe('already');
    await ages(25);
    expect(await ask()).toBe('asked');
    expect(await ask()).toBe('already');
  });

  test('is blocked by an admin, and reads so', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await chief.presses('Block');
    await harness.sees(chief.chatId, /^🚫 Ann: blocked by you/);
    ann.writes('Hello?');
    await harness.sees(ann.chatId, /banned you/);
    expect(await harness.administration.admit(ann.id)).toBe('banned');
  });

  test('gets a plan with the access', async () => {
    harness = await createPrivateBot({ plans: { trusted: { user: { requestsPerMinute: 100 } }, group: {} } });
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await chief.presses('Allow with plan…');
    await vi.waitFor(() => expect(harness.buttons(chief.chatId)).toBe('free trusted Back'));
    await chief.presses('trusted');
    await harness.sees(ann.chatId, /You now have access/);
    expect((await harness.accounts.findTelegramUser(ann.id))?.plan).toBe('trusted');
  });

  test('reads in Russian', async () => {
    harness = await createPrivateBot();
    await admin('Chief');
    const oleg = harness.user('Олег', 'ru');
    oleg.writes('Привет');
    await harness.sees(oleg.chatId, /^Это закрытый бот\. Нажмите кнопку/);
    await oleg.presses('Попросить доступ');
    await harness.sees(oleg.chatId, /Я передал вашу просьбу/);
    await harness.accessRequests.decide({ adminTelegramId: 1, telegramId: oleg.id, decision: { kind: 'allow' } });
    await harness.sees(oleg.chatId, /^Доступ открыт/);
    expect(await oleg.presses('Попросить доступ').catch(() => 'no button')).toBe('no button');
  });
});

describe('a stranger', () => {
  test('is not told of an access that has ended since', async () => {
    harness = await createPrivateBot();
    await admin('Chief');
    const ann = harness.user('Ann');
    await asks(ann);
    const decision = { kind: 'allow' } as const;
    await harness.accessRequests.decide({ adminTelegramId: 1, telegramId: ann.id, decision });
    await harness.administration.ban({ adminTelegramId: 1, telegramId: ann.id, reason: '' });
    await harness.passes(10_000);
    await vi.waitFor(async () => expect(await harness.accessRequests.listToTell(1)).toEqual([]));
    expect(said(ann).filter((line) => line.includes('You now have access'))).toEqual([]);
  });

  test('reads that there are no admins, also from an old button', async () => {
    harness = await createPrivateBot();
    await admin('Chief');
    const ann = harness.user('Ann');
    ann.writes('Hello');
    await harness.sees(ann.chatId, /This bot is private/);
    harness.adminIds.length = 0;
    expect(await ann.presses('Ask for access')).toBe(
      `This bot is private. If you know its operator, ask for access: your Telegram id is ${ann.id}.`,
    );
    expect(await harness.accessRequests.listOpen()).toEqual([]);
  });

  test('who was let in reads in /privacy what is stored about the access', async () => {
    harness = await createPrivateBot();
    const [ann, oleg] = [harness.user('Ann'), harness.user('Олег', 'ru')];
    for (const { id: telegramId } of [ann, oleg])
      await harness.administration.allow({ adminTelegramId: 1, telegramId, reason: '' });
    ann.writes('/privacy');
    await harness.sees(ann.chatId, /How you got access: your request .* which invitation you used/);
    oleg.writes('/privacy');
    await harness.sees(oleg.chatId, /Как вы получили доступ: просьбу .* каким приглашением/);
  });

  test('can pretend no username, direction of text, or line', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    await asks(harness.user('Pavel (@durov)\u202e\nhttps://example.com'));
    const { message } = await harness.sees(chief.chatId, /^Pavel \(durov\)https:\/\/example\.com asks for access/);
    expect(message.link_preview_options).toEqual({ is_disabled: true });
  });
});

describe('the admins', () => {
  test('see one message that is edited, and the second one who presses reads who has decided', async () => {
    harness = await createPrivateBot();
    const [chief, deputy] = [await admin('Chief'), await admin('Deputy')];
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await asks(ann);
    for (const one of [chief, deputy]) await harness.sees(one.chatId, /^Ann asks/);
    await asks(bob);
    for (const one of [chief, deputy]) await harness.sees(one.chatId, /1 more is waiting: Bob$/);
    expect(JSON.stringify(await harness.accessRequests.listNotices())).not.toMatch(/Ann|Bob/);
    // The update of the second admin was on its way when the first one decided.
    const press = findButton(deputy.chatId, deputy, 'Ignore');
    await harness.accessRequests.decide({
      ...{ adminTelegramId: chief.id, telegramId: ann.id },
      decision: { kind: 'allow' },
    });
    await press();
    expect(hints()).toContain('Chief has already allowed this.');
    for (const one of [chief, deputy]) {
      await harness.sees(one.chatId, /✅ Ann: allowed by (you|Chief)/);
      expect(said(one).filter((line) => line.includes('asks for access') || line.includes('waiting'))).toHaveLength(1);
    }
    const [request] = await harness.db.select().from(accessRequests).where(eq(accessRequests.telegramId, ann.id));
    expect(request).toMatchObject({ state: 'allowed', decidedBy: chief.id });
  });

  test('who are no admins any more decide nothing', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await harness.sees(chief.chatId, /^Ann asks/);
    harness.adminIds.length = 0;
    harness.adminIds.push(1);
    await harness.administration.allow({ adminTelegramId: 1, telegramId: chief.id, reason: '' });
    expect(await chief.presses('Allow')).toBe('Only admins of this bot decide about access.');
    expect(await harness.administration.admit(ann.id)).toBe('stranger');
  });

  test('get a bounded number of requests, in one message, from thousands of accounts', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const outcomes = new Map<string, number>();
    for (let telegramId = 500_000; telegramId < 500_400; telegramId += 1) {
      const outcome = await harness.accessRequests.ask({ telegramId, name: `Bot ${telegramId}`, language: 'en' });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(Object.fromEntries(outcomes)).toEqual({ asked: 100, full: 300 });
    await harness.sees(chief.chatId, /99 more are waiting: Bot 500001, .*, …$/);
    await chief.presses('Ignore all 100');
    await harness.sees(chief.chatId, /No requests for access are waiting\.$/);
    expect(said(chief)).toHaveLength(2);
    expect(await harness.accessRequests.listOpen()).toEqual([]);
  });

  test('keep the request that they read while others arrive and are decided', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const ask = (telegramId: number, name: string) => harness.accessRequests.ask({ telegramId, name, language: 'en' });
    await ask(71, 'Ann');
    await ask(72, 'Bob');
    await harness.sees(chief.chatId, /^Ann asks/);
    await chief.presses('Next ›');
    await harness.sees(chief.chatId, /^Bob asks/);
    await ask(73, 'Cid');
    await harness.sees(chief.chatId, /^Bob asks.*2 more are waiting: Ann, Cid$/s);
    await harness.accessRequests.decide({ adminTelegramId: 1, telegramId: 72, decision: { kind: 'ignore' } });
    await harness.sees(chief.chatId, /^Bob: ignored by 1\n\n2 more are waiting: Ann, Cid$/);
    expect(harness.buttons(chief.chatId)).toBe('Next ›');
    await chief.presses('Next ›');
    await harness.sees(chief.chatId, /\n\nAnn asks/);
    await chief.presses('Block');
    await harness.sees(chief.chatId, /🚫 Ann: blocked by you\n\nCid asks/);
    expect(await Promise.all([71, 72, 73].map((id) => harness.administration.admit(id)))).toEqual([
      ...['banned', 'stranger', 'stranger'],
    ]);
  });

  test('ignore only those that the button counts', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const ask = (telegramId: number, name: string) => harness.accessRequests.ask({ telegramId, name, language: 'en' });
    await ask(71, 'Ann');
    await ask(72, 'Bob');
    await harness.sees(chief.chatId, /1 more is waiting: Bob$/);
    const press = findButton(chief.chatId, chief, 'Ignore all 2');
    await ask(73, 'Cid');
    await harness.sees(chief.chatId, /2 more are waiting: Bob, Cid$/);
    await press();
    await harness.sees(chief.chatId, /Bob: ignored by you\n\nCid asks/);
    expect((await harness.accessRequests.listOpen()).map(({ name }) => name)).toEqual(['Cid']);
  });

  test('get a right answer from both messages that a kill before the first was stored has left', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await harness.sees(chief.chatId, /^Ann asks/);
    await vi.waitFor(async () => expect(await harness.accessRequests.listNotices()).toHaveLength(1));
    const pressInFirst = findButton(chief.chatId, chief, 'Block');
    await harness.accessRequests.removeNotice(chief.id);
    await harness.passes(61_000);
    const asking = () => said(chief).filter((line) => line.includes('asks for access'));
    await vi.waitFor(() => expect(asking()).toHaveLength(2));
    await chief.presses('Allow');
    await harness.sees(chief.chatId, /^✅ Ann: allowed by you/);
    expect(asking()).toHaveLength(1);
    await pressInFirst();
    expect(hints()).toContain('Chief has already allowed this.');
    await vi.waitFor(() => expect(asking()).toEqual([]));
    expect(await harness.administration.admit(ann.id)).toBe('welcome');
    expect(await harness.db.select().from(adminActions)).toHaveLength(1);
  });

  test('can not block one who has become an admin, and read so', async () => {
    harness = await createPrivateBot();
    const [chief, ann] = [await admin('Chief'), harness.user('Ann')];
    await asks(ann);
    await harness.sees(chief.chatId, /^Ann asks/);
    harness.adminIds.push(ann.id);
    expect(await chief.presses('Block')).toBe('This account is an admin of the bot now. Admins can’t be blocked.');
    await harness.sees(chief.chatId, 'No requests for access are waiting.');
    expect(await harness.db.select().from(accessRequests)).toEqual([]);
    expect(await harness.db.select().from(adminActions)).toEqual([]);
  });

  test('decide once, whichever of them are at it', async () => {
    harness = await createPrivateBot();
    await harness.accessRequests.ask({ telegramId: 77, name: 'Ann', language: 'en' });
    const outcomes = await Promise.all(
      [1, 2, 3].map((adminTelegramId) =>
        harness.accessRequests.decide({ adminTelegramId, telegramId: 77, decision: { kind: 'allow' } }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(1);
    expect(await harness.db.select().from(adminActions)).toHaveLength(1);
  });

  test('see no requests that have lapsed, and their rows are deleted', async () => {
    harness = await createPrivateBot();
    await harness.accessRequests.ask({ telegramId: 77, name: 'Ann', language: 'en' });
    await ages(8 * 24);
    expect(await harness.accessRequests.listOpen()).toEqual([]);
    await harness.accessRequests.sweep();
    expect(await harness.db.select().from(accessRequests)).toEqual([]);
  });
});

describe('an invitation', () => {
  const invite = async (chief: Actor, labels: readonly string[] = []) => {
    chief.writes('/invite');
    await harness.sees(chief.chatId, /^Invitation links/);
    await chief.presses('New link');
    for (const label of labels) {
      await chief.presses(label);
      await vi.waitFor(() => expect(harness.buttons(chief.chatId)).toContain(`✓ ${label}`));
    }
    await chief.presses('Create the link');
    const { message } = await harness.sees(chief.chatId, /I show the link only now/);
    return /start=(j_[\w-]+)/.exec(message.text ?? '')?.[1] ?? '';
  };

  test('lets in as many accounts as it says, with its plan, until it is revoked', async () => {
    harness = await createPrivateBot({ plans: { trusted: { user: { requestsPerMinute: 100 } } } });
    const chief = await admin('Chief');
    const payload = await invite(chief, ['5 👤', 'trusted']);
    const [stored] = await harness.db.select().from(invitations);
    expect(JSON.stringify(stored)).not.toContain(payload.slice(2));
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    ann.writes(`/start ${payload}`);
    await harness.sees(ann.chatId, /^Hi!/);
    expect((await harness.accounts.findTelegramUser(ann.id))?.plan).toBe('trusted');
    chief.writes('/invite');
    await harness.sees(chief.chatId, /№ 1: 1 of 5 used, until .*, plan trusted$/m);
    await chief.presses('Revoke № 1');
    await harness.sees(chief.chatId, /There are none\.$/);
    bob.writes(`/start ${payload}`);
    await harness.sees(bob.chatId, /^This invitation is used up, expired or withdrawn\./);
    ann.writes('Still here');
    await harness.sees(ann.chatId, 'You said: Still here');
  });

  test('is used up, expires, and does not let in twice whom an admin has removed', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const create = (maxUses: number) =>
      harness.invitations.create({ adminTelegramId: chief.id, plan: undefined, maxUses, lifetimeMs: 86_400_000 });
    const [single, double] = [await create(1), await create(2)];
    const redeem = (made: typeof single, telegramId: number) =>
      harness.invitations.redeem(made?.code ?? '', telegramId);
    expect(await Promise.all([redeem(single, 71), redeem(single, 72)])).toHaveLength(2);
    expect((await Promise.all([71, 72].map((id) => harness.administration.admit(id)))).toSorted()).toEqual([
      'stranger',
      'welcome',
    ]);
    expect(await redeem(double, 80)).toBe(true);
    await harness.administration.disallow({ adminTelegramId: chief.id, telegramId: 80, reason: '' });
    expect(await redeem(double, 80)).toBe(false);
    await harness.db.update(invitations).set({ expiresAt: new Date(harness.now()) });
    expect(await redeem(double, 81)).toBe(false);
  });

  test('is no code for the first admin, which is one of ten that work once, for an hour, and let nobody in', async () => {
    harness = await createPrivateBot();
    const { firstAdminCodes: codes } = harness;
    const chief = await admin('Chief');
    const params = { adminTelegramId: chief.id, plan: undefined, maxUses: 5, lifetimeMs: 86_400_000 };
    const { code: invitation = '' } = (await harness.invitations.create(params)) ?? {};
    expect(await codes.redeem(invitation)).toBe(false);

    const created = [];
    for (let count = 0; count < 11; count++) created.push(await codes.create());
    const [first = '', second = '', third = ''] = created;
    const rows = await harness.db.select().from(invitations);
    expect(rows).toHaveLength(11);
    expect(JSON.stringify(rows)).not.toContain(second);
    expect(await harness.invitations.list()).toHaveLength(1);
    expect(await harness.invitations.redeem(second, 71)).toBe(false);
    expect(await codes.redeem(first)).toBe(false);
    const twice = await Promise.all([codes.redeem(second), codes.redeem(second)]);
    expect(twice.toSorted()).toEqual([false, true]);
    expect(await codes.redeem(third)).toBe(false);

    const late = await codes.create();
    await harness.passes(3_600_001);
    expect(await codes.redeem(late)).toBe(false);
  });

  test('does not let in again whom an admin has removed and who has deleted their data', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const params = { adminTelegramId: chief.id, plan: undefined, maxUses: 5, lifetimeMs: 86_400_000 };
    const { code = '' } = (await harness.invitations.create(params)) ?? {};
    const ann = harness.user('Ann');
    ann.writes(`/start j_${code}`);
    await harness.sees(ann.chatId, /^Hi!/);
    await harness.personalData.forget((await harness.accounts.findTelegramUser(ann.id))?.id ?? 0);
    await harness.administration.disallow({ adminTelegramId: chief.id, telegramId: ann.id, reason: '' });
    expect(await harness.invitations.redeem(code, ann.id)).toBe(false);
    await harness.db.update(invitations).set({ expiresAt: new Date(harness.now() - 1) });
    await harness.invitations.sweep();
    expect(await harness.db.select().from(invitationUses)).toEqual([]);
  });

  test('of a former admin lets nobody in, and wrong codes are not looked up for ever', async () => {
    harness = await createPrivateBot();
    const chief = await admin('Chief');
    const payload = await invite(chief);
    harness.adminIds.length = 0;
    harness.adminIds.push(1);
    const ann = harness.user('Ann');
    for (let count = 0; count < 8; count += 1) ann.writes(`/start ${payload}`);
    await harness.hasHandledAll();
    expect(said(ann).filter((line) => line.includes('This invitation is used up'))).toHaveLength(5);
    expect(said(ann).filter((line) => line.includes('I don’t check this one'))).toHaveLength(1);
    harness.adminIds.push(chief.id);
    await harness.passes(61_000);
    ann.writes(`/start ${payload}`);
    await harness.hasHandledAll();
    expect(said(ann).at(-1)).toContain('Open it again in an hour.');
    expect(await harness.administration.admit(ann.id)).toBe('stranger');
  });
});

describe('members of a group', () => {
  test('may use the bot in private until they leave, and others may not', async () => {
    harness = await createPrivateBot();
    const [chief, ann, bob] = [await admin('Chief'), harness.user('Ann'), harness.user('Bob')];
    const { id: groupId } = harness.telegram.createChat({
      ...{ type: 'supergroup', title: 'Family', memberIds: [chief.id, ann.id] },
    });
    harness.telegram.sendMessage(groupId, { text: '/settings@switch_bot', from: chief.id });
    await harness.sees(groupId, /Settings of this group/);
    await findButton(groupId, chief, 'Let members use me in private')();
    await harness.sees(groupId, /Members may use me in private/);
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    bob.writes('Hello');
    await harness.sees(bob.chatId, /This bot is private/);
    harness.telegram.changeMember(groupId, { action: 'leave', personId: ann.id });
    await harness.passes(6 * 60_000);
    ann.writes('And now?');
    await harness.sees(ann.chatId, /This bot is private/);
    expect(await harness.db.select().from(groupAdmissions)).toEqual([]);
  });

  test('whom a former admin let in have no access, until an admin lets them in', async () => {
    harness = await createPrivateBot();
    const [chief, deputy, ann] = [await admin('Chief'), await admin('Deputy'), harness.user('Ann')];
    const { id: groupId } = harness.telegram.createChat({
      ...{ type: 'supergroup', title: 'Family', memberIds: [chief.id, ann.id] },
    });
    await harness.groupAccess.setAdmitting(groupId, true, chief.id);
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    deputy.writes('/invite');
    await harness.sees(deputy.chatId, /Members of these groups may use me in private:\nFamily, let in by Chief$/);
    const chiefAt = harness.adminIds.indexOf(chief.id);
    harness.adminIds.splice(chiefAt, 1);
    expect(await harness.administration.admit(ann.id)).toBe('stranger');
    deputy.writes('/invite');
    await harness.sees(
      deputy.chatId,
      /Family, let in by Chief \(members have no access until an admin lets them in again\)$/,
    );
    expect(await harness.groupAccess.setAdmitting(groupId, true, deputy.id)).toBe('done');
    expect(await harness.administration.admit(ann.id)).toBe('welcome');
  });

  test('lose their access by /invite, also by an admin who is not in the group', async () => {
    harness = await createPrivateBot();
    const [chief, deputy, ann] = [await admin('Chief'), await admin('Deputy'), harness.user('Ann')];
    const { id: groupId } = harness.telegram.createChat({
      ...{ type: 'supergroup', title: 'Family', memberIds: [chief.id, ann.id] },
    });
    await harness.groupAccess.setAdmitting(groupId, true, chief.id);
    expect(await harness.administration.admit(ann.id)).toBe('welcome');
    deputy.writes('/invite');
    await harness.sees(deputy.chatId, /Family, let in by Chief/);
    expect(await deputy.presses('End: Family')).toBe('Members of this group no longer have access by it.');
    await harness.sees(deputy.chatId, /There are none\.$/);
    expect(await harness.administration.admit(ann.id)).toBe('stranger');
    const actions = await harness.db.select().from(adminActions).where(eq(adminActions.action, 'dismiss-group'));
    expect(actions.map(({ adminTelegramId, subject }) => [adminTelegramId, subject])).toEqual([
      [deputy.id, `${groupId}`],
    ]);
  });

  test('stay in while strangers fill the queue of look-ups', async () => {
    harness = await createPrivateBot();
    const access = createGroupAccess({ db: harness.db, clock: systemClock, adminIds: [1] });
    await access.setAdmitting(-100, true, 1);
    await harness.db.insert(groupAdmissions).values({
      ...{ chatId: -100, telegramId: 70, checkedAt: new Date(Date.now() - 10 * 60_000) },
    });
    const { promise: answer, resolve } = Promise.withResolvers<boolean>();
    access.useTelegram({ findMember: () => answer, findTitle: async () => undefined });
    const strangers = Array.from({ length: 150 }, (_, index) => access.isMember(1000 + index));
    expect(await access.isMember(70)).toBe(true);
    resolve(false);
    expect(new Set(await Promise.all(strangers))).toEqual(new Set([false]));
  });

  test('are let in by admins of the bot only', async () => {
    harness = await createPrivateBot();
    const [ann] = [harness.user('Ann')];
    await harness.administration.allow({ adminTelegramId: 1, telegramId: ann.id, reason: '' });
    const { id: groupId } = harness.telegram.createChat({ type: 'supergroup', title: 'Hers', memberIds: [ann.id] });
    harness.telegram.sendMessage(groupId, { text: '/settings@switch_bot', from: ann.id });
    await harness.sees(groupId, /Settings of this group/);
    expect(harness.buttons(groupId)).not.toContain('Let members');
  });
});

/** Returns a function that presses the button as it is now, also when the message has changed since. */
function findButton(chatId: number, { id, name }: Actor, label: string): () => Promise<void> {
  const { message } = harness.telegram.transcript(chatId).findLast((one) => one.message.reply_markup) ?? {};
  const button = message?.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label);
  if (!message || !button || !('callback_data' in button)) throw new Error(`no button ${label}`);
  const from = { id, is_bot: false, first_name: name };
  const press = { id: `${label}:${id}`, from, chat_instance: '1', data: button.callback_data, message };
  return () => harness.receives({ callback_query: press });
}

/** Returns the answers of the bot to callback queries. */
const hints = () => harness.telegram.calls('answerCallbackQuery').map(({ params }) => params['text']);
