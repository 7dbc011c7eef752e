import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { groupAdmissions, invitationUses, messages, users } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import { goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness({ retentionDays: 90 }));

/** Contents of the newest archive in a chat, by file name. */
function readArchive(chatId: number): Record<string, string> {
  const document = harness.telegram.transcript(chatId).findLast(({ message }) => message.document)?.message.document;
  if (!document) throw new Error('no archive was sent');
  const entries = Object.entries(unzipSync(harness.telegram.readFile(document.file_id).bytes));
  return Object.fromEntries(entries.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
}

test('/privacy states the retention time in two languages', async () => {
  const [ann, oleg] = [harness.user('Ann'), harness.user('Олег', 'ru')];
  ann.writes('/privacy');
  await harness.sees(ann.chatId, /until you use \/forget, .*so that conversations can continue: 90 days\./s);
  await harness.sees(ann.chatId, new RegExp(`Your Telegram id: ${ann.chatId}\n`));
  oleg.writes('/privacy');
  await harness.sees(oleg.chatId, /до команды \/forget .*чтобы разговор мог продолжаться: 90 дней\./s);
  await harness.sees(oleg.chatId, new RegExp(`Ваш id в Telegram: ${oleg.chatId}\n`));
});

test('/export sends one archive with conversations as Markdown and JSON, usage, and files', async () => {
  const ann = harness.user('Ann');
  ann.writes('Hello there');
  await harness.sees(ann.chatId, 'You said: Hello there');
  const file = await keepFile(harness, ann, { bytes: Buffer.from('twelve bytes') });
  ann.writes('/export');
  await harness.sees(ann.chatId, /^Everything I have stored about you/);
  const documents = readArchive(ann.chatId);
  const listed = ['conversations.md', 'conversations.json', 'usage.csv', 'files.csv'];
  expect(Object.keys(documents)).toEqual([...listed, `files/${file.id}/note.txt`]);
  expect(documents[`files/${file.id}/note.txt`]).toBe('twelve bytes');
  expect(documents['conversations.md']).toMatch(
    /^# Conversations\n\n## (?:Hello there: c|C)onversation \d+ \(chat \d+\)\n\n### You\n\n_.*_\n\nHello there\n\n### basic\n\n_.*_\n\nYou said: Hello there\n$/,
  );
  expect(JSON.parse(documents['conversations.json'] ?? '')).toMatchObject({
    account: { telegramId: ann.id },
    isComplete: true,
    conversations: [{ chatId: ann.chatId, messages: [{ role: 'user', content: 'Hello there' }, { model: 'basic' }] }],
  });
  expect(documents['usage.csv']).toMatch(/^\uFEFFtime,kind,model,/);
  expect(documents['files.csv']).toContain(`https://files.example.org/file/${file.id}`);
});

test('/export has the request for access, memberships of groups and uses of invitations', async () => {
  const ann = harness.user('Ann');
  await harness.accessRequests.ask({ telegramId: ann.id, name: 'Ann (@ann)', language: 'en' });
  await harness.db
    .insert(groupAdmissions)
    .values({ chatId: -1001, telegramId: ann.id, checkedAt: new Date(harness.now()) });
  const params = { adminTelegramId: 1, plan: undefined, maxUses: 1, lifetimeMs: 60_000 };
  const { id = 0 } = (await harness.invitations.create(params))?.invitation ?? {};
  await harness.db.insert(invitationUses).values({ invitationId: id, telegramId: ann.id });
  ann.writes('/export');
  await harness.sees(ann.chatId, /^Everything I have stored about you/);
  expect(JSON.parse(readArchive(ann.chatId)['conversations.json'] ?? '').account.access).toMatchObject({
    ...{ request: { name: 'Ann (@ann)', state: 'open' }, groups: [{ chatId: -1001 }], invitationIds: [id] },
  });
});

test('/export of large conversations and files does not hold other users', async () => {
  const ann = harness.user('Ann');
  ann.writes('First');
  await harness.sees(ann.chatId, 'You said: First');
  await harness.settles(ann.chatId);
  await keepFile(harness, ann, { bytes: randomBytes(39 * 1024 * 1024), name: 'large.bin' });
  const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
  const { id: conversationId } = await harness.conversations.currentConversation(
    { chatId: ann.chatId, topicId: undefined },
    userId,
  );
  const content = randomBytes(150_000).toString('hex');
  const written = Array.from({ length: 24 }, (_, at) => ({
    ...{ conversationId, role: 'user' as const, userId, content: `${at} ${content}` },
  }));
  for (const message of written) await harness.db.insert(messages).values(message);
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const beat = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  ann.writes('/export');
  await harness.sees(ann.chatId, /^Everything I have stored about you/);
  clearInterval(beat);
  // The simulated Telegram takes its share: it receives 50 MB in the same thread.
  expect(longestMs).toBeLessThan(400);
  const { conversations } = JSON.parse(readArchive(ann.chatId)['conversations.json'] ?? '');
  expect(conversations[0].messages).toHaveLength(written.length + 2);
  expect(conversations[0].messages.at(-1).content === written.at(-1)?.content).toBe(true);
});

test('/export links to files that are too large or exist only in Telegram', async () => {
  const bob = harness.user('Bob');
  const small = await keepFile(harness, bob, { bytes: Buffer.from('small') });
  const large = await keepFile(harness, bob, { bytes: Buffer.alloc(41 * 1024 * 1024), name: 'large.bin' });
  const { id: userId } = await harness.accounts.ensureTelegramUser(bob.id);
  const telegram = { kind: 'document', fileId: 'somewhere' } as const;
  const facts = { name: 'far.bin', mediaType: 'application/octet-stream', sizeBytes: 5, userId, telegram };
  const far = await harness.storage.storeTelegramFile(facts);
  bob.writes('/export');
  await harness.sees(
    bob.chatId,
    'Everything I have stored about you. 2 files are not included, but linked in files.csv.',
  );
  const documents = readArchive(bob.chatId);
  expect(Object.keys(documents).filter((name) => name.startsWith('files/'))).toEqual([`files/${small.id}/note.txt`]);
  for (const { id } of [large, far]) expect(documents['files.csv']).toContain(id);
});

test('/forget deletes all data of the user after a confirmation', async () => {
  const ann = harness.user('Ann');
  ann.writes('My secret');
  await harness.sees(ann.chatId, 'You said: My secret');
  const file = await keepFile(harness, ann);
  const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
  const made = await harness.apiKeys.create(userId, 'laptop');

  ann.writes('/forget');
  await harness.sees(ann.chatId, /1 conversation and your images: deleted\.[\s\S]*1 file you have saved/);
  await ann.presses('Cancel');
  expect(await harness.storage.find(file.id)).toBeDefined();

  ann.writes('/forget');
  await harness.sees(ann.chatId, /This can’t be undone/);
  await ann.presses('Yes, forget everything');
  await harness.sees(
    ann.chatId,
    'Done. I have deleted everything about you. If you write again, we start from scratch.',
  );
  expect(await harness.storage.find(file.id)).toBeUndefined();
  expect(await harness.db.select().from(messages).where(eq(messages.userId, userId))).toEqual([]);
  await expect.poll(() => harness.accounts.findByApiKey(made?.secret ?? '')).toBeUndefined();

  const asked = harness.models.requests.length;
  ann.writes('Who am I?');
  await harness.sees(ann.chatId, 'You said: Who am I?');
  expect(JSON.stringify(harness.models.requests.slice(asked))).not.toContain('My secret');
});

test('/forget stops an answer that is being written', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push(goOnFrom('Once upon a time'));
  ann.writes('Tell me a long story');
  await harness.sees(ann.chatId, /Once upon a time/);
  ann.writes('/forget');
  await harness.sees(ann.chatId, /This can’t be undone/);
  await ann.presses('Yes, forget everything');
  await harness.sees(ann.chatId, /^Done\. I have deleted everything about you/);
  const [row] = await harness.db.select().from(users).where(eq(users.telegramId, ann.id));
  await expect
    .poll(() => harness.db.select().from(messages).where(eq(messages.content, 'Once upon a time')))
    .toEqual([]);
  expect(row?.settings).toEqual({});
  expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test('/export and /forget are refused in groups', async () => {
  const { Ann } = harness.group(['Ann']);
  for (const command of ['/export', '/forget']) {
    Ann.writes(command);
    await harness.sees(Ann.chatId, 'Your data is private. Send me this command in our private chat.');
  }
});
