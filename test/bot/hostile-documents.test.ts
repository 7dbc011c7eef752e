import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { findChildren } from '../support/machine/child-processes.ts';
import { SLOW_HTML, WIDE_TABLES } from '../support/samples/documents.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const [WIDE_HTML] = WIDE_TABLES;

const harness = startBeforeAll(() => createBotHarness({ openPage: async () => WIDE_HTML.bytes }));

const lastContent = () => harness.models.requests.at(-1)?.messages.at(-1)?.content;
const findReaders = () => findChildren(process.pid, 'read-document.');

describe('a table cell that spans a billion columns is read like any other', () => {
  test.each(WIDE_TABLES)('in a document: $fileName', async (file) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A table.');
    ann.sends({ kind: 'document', ...file, caption: 'What is it?' });
    await harness.sees(ann.chatId, 'A table.');
    expect(lastContent()).toBe(`<document name="${file.fileName}">\na\n</document>\n\nWhat is it?`);
  });

  test('in a linked page', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A table.');
    ann.writes('What is at https://example.org/wide?');
    await harness.sees(ann.chatId, 'A table.');
    expect(lastContent()).toContain('>\na\n</document>');
  });
});

describe('a document whose reader process is killed', () => {
  test('gets an error, and Retry reads it again', async () => {
    const ann = harness.user('Ann');
    ann.sends({ kind: 'document', mimeType: 'text/html', fileName: 'slow.html', bytes: SLOW_HTML, caption: 'What?' });
    await expect.poll(findReaders).toHaveLength(1);
    const [reader = 0] = await findReaders();
    process.kill(reader, 'SIGKILL');
    await harness.sees(
      ann.chatId,
      'slow.html is too complex for me to read. Try sending it as a PDF or as plain text.',
    );
    await ann.presses('Retry');
    await expect.poll(findReaders).toHaveLength(1);
    ann.writes('/stop');
    await expect.poll(findReaders).toEqual([]);
  });
});

describe('while a document of one user is read', () => {
  test('documents of other users are read and others of the same user wait', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const text = (fileName: string) => ({ kind: 'document' as const, mimeType: 'text/plain', fileName });
    ann.sends({ kind: 'document', mimeType: 'text/html', fileName: 'slow.html', bytes: SLOW_HTML, caption: 'What?' });
    await expect.poll(findReaders).toHaveLength(1);
    const slow = await findReaders();
    harness.models.scripts.push('Short.');
    bob.sends({ ...text('short.txt'), bytes: Buffer.from('short'), caption: 'What?' });
    await harness.sees(bob.chatId, 'Short.');
    expect(await findReaders()).toEqual(slow);
    ann.writes('/stop');
    await expect.poll(findReaders).toEqual([]);
  });
});
