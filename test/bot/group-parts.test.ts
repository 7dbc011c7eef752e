import { eq, isNotNull } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { updates } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { A_LINK } from '../support/harness/files.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { writePdf } from '../support/samples/documents.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({ models: [createModelEntry('basic', { acceptsImages: true })] }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
});

const pdf = (text: string) => ({
  kind: 'document' as const,
  mimeType: 'application/pdf',
  fileName: `${text.split(' ', 1)[0]}.pdf`,
  bytes: writePdf([text]),
});
const lastQuestion = () => harness.models.requests.at(-1)?.messages.at(-1)?.content ?? '';
const countImages = () => JSON.stringify(lastQuestion()).split('data:image/').length - 1;

/** Waits until every update is handled, then returns the number of model requests since the last call. */
let requestsBefore = 0;
async function countRequests(chatId: number): Promise<number> {
  await harness.hasHandledAll();
  await harness.settles(chatId);
  const count = harness.models.requests.length - requestsBefore;
  requestsBefore = harness.models.requests.length;
  return count;
}

describe('an album in a group', () => {
  test.each([0, 1, 2])('goes to the model completely if part %i of 3 mentions the bot', async (mentioning) => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    await countRequests(Ann.chatId);
    harness.models.scripts.push('Three dots.');
    for (const part of [0, 1, 2]) {
      Ann.sends({ mediaGroupId: 'dots', ...(part === mentioning && { caption: '@switch_bot what are these?' }) });
      Bob.writes('Nice!');
    }
    await harness.sees(Ann.chatId, 'Three dots.');
    expect(countImages()).toBe(3);
    expect(JSON.stringify(lastQuestion())).toContain('what are these?');
    expect(await countRequests(Ann.chatId)).toBe(1);
  });

  test('goes to the model completely in a group with remembered messages', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    await harness.groups.setRemembering(Ann.chatId, true);
    await countRequests(Ann.chatId);
    harness.models.scripts.push('Three dots.');
    Ann.sends({ mediaGroupId: 'dots' });
    Bob.writes('Nice!');
    Ann.sends({ mediaGroupId: 'dots', caption: '@switch_bot what are these?' });
    Ann.sends({ mediaGroupId: 'dots' });
    await harness.sees(Ann.chatId, 'Three dots.');
    expect(countImages()).toBe(3);
    expect(await countRequests(Ann.chatId)).toBe(1);
  });

  test('of documents goes to the model completely', async () => {
    const { Ann } = harness.group(['Ann']);
    harness.models.scripts.push('Both are rents.');
    Ann.sends({ ...pdf('Alpha costs 700 euros.'), mediaGroupId: 'rents' });
    Ann.sends({ ...pdf('Beta costs 900 euros.'), mediaGroupId: 'rents', caption: 'Compare, @switch_bot' });
    await harness.sees(Ann.chatId, 'Both are rents.');
    expect(JSON.stringify(lastQuestion())).toContain('Alpha costs 700 euros.');
    expect(JSON.stringify(lastQuestion())).toContain('Beta costs 900 euros.');
  });

  test('is one question in reply to the bot, and where replies alone are not answered', async () => {
    const { Ann } = harness.group(['Ann']);
    harness.models.scripts.push('Hello.', 'Two dots.', 'Two more.');
    Ann.writes('@switch_bot hi');
    const replyTo = (await harness.sees(Ann.chatId, 'Hello.')).message.message_id;
    await countRequests(Ann.chatId);
    Ann.sends({ mediaGroupId: 'first', replyTo, caption: 'And these?' });
    Ann.sends({ mediaGroupId: 'first', replyTo });
    await harness.sees(Ann.chatId, 'Two dots.');
    expect(countImages()).toBe(2);
    expect(await countRequests(Ann.chatId)).toBe(1);
    await harness.groups.change(Ann.chatId, { answersReplies: false });
    Ann.sends({ mediaGroupId: 'second', replyTo });
    Ann.sends({ mediaGroupId: 'second', replyTo, caption: '@switch_bot and these?' });
    await harness.sees(Ann.chatId, 'Two more.');
    expect(countImages()).toBe(2);
    expect(await countRequests(Ann.chatId)).toBe(1);
  });

  test('without a mention is ignored, and nothing of it is stored', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    await countRequests(Ann.chatId);
    Ann.sends({ mediaGroupId: 'private', caption: 'Our holidays' });
    Ann.sends({ mediaGroupId: 'private' });
    // The album of another user with the same id, as a forged update might have it.
    const asked = Bob.sends({ mediaGroupId: 'private', caption: '@switch_bot what is this?' });
    await harness.sees(Ann.chatId, /^You said/);
    expect(countImages()).toBe(1);
    expect(await countRequests(Ann.chatId)).toBe(1);
    const stored = await harness.db
      .select({ id: updates.messageId })
      .from(updates)
      .where(eq(updates.chatQueue, Ann.chatId));
    expect(stored).toEqual([{ id: asked }]);
  });

  test.each(['first', 'last'])('is saved completely if its %s part has /save as caption', async (which) => {
    const { Ann } = harness.group(['Ann']);
    await countRequests(Ann.chatId);
    const caption = '/save@switch_bot';
    Ann.sends({ ...pdf('Alpha'), mediaGroupId: 'kept', ...(which === 'first' && { caption }) });
    Ann.sends({ ...pdf('Beta'), mediaGroupId: 'kept', ...(which === 'last' && { caption }) });
    const { message } = await harness.sees(Ann.chatId, A_LINK);
    expect(message.text).toContain('Alpha.pdf');
    expect(message.text).toContain('Beta.pdf');
    expect(await countRequests(Ann.chatId)).toBe(0);
  });

  test('with an unknown command as caption stays unanswered', async () => {
    const { Ann } = harness.group(['Ann']);
    await countRequests(Ann.chatId);
    Ann.sends({ ...pdf('Alpha'), mediaGroupId: 'danced', caption: '/dance' });
    Ann.sends({ ...pdf('Beta'), mediaGroupId: 'danced' });
    expect(await countRequests(Ann.chatId)).toBe(0);
    expect(harness.lines(Ann.chatId)).toHaveLength(2);
  });
});

describe('a text that the app sends in parts, in a group', () => {
  const words = (length: number) => 'The bell was cast in 1812. '.repeat(length).slice(0, length);

  test.each(['first', 'second', 'last'])('is one question if its %s part mentions the bot', async (which) => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    await countRequests(Ann.chatId);
    harness.models.scripts.push('An old bell.');
    const mention = (part: string) => (which === part ? '@switch_bot ' : '');
    const [first, second, last] = [words(4060), words(4070), 'so what is it?'];
    Ann.writes(mention('first') + first);
    Bob.writes('How long!');
    Ann.writes(mention('second') + second);
    Ann.writes(mention('last') + last);
    Ann.writes('By the way, lunch?');
    await harness.sees(Ann.chatId, 'An old bell.');
    expect(lastQuestion()).toBe(`${first.trim()}\n${second.trim()}\n${last}`);
    expect(await countRequests(Ann.chatId)).toBe(1);
  });

  test('is summarised completely after a command', async () => {
    const { Ann } = harness.group(['Ann']);
    await countRequests(Ann.chatId);
    Ann.writes(`/summarise@switch_bot ${words(4000)}`);
    Ann.writes('The end of the story.');
    await harness.sees(Ann.chatId, /The end of the story\.$/);
    expect(lastQuestion()).toMatch(/^Summarise[\s\S]*The bell[\s\S]*\nThe end of the story\.$/);
    expect(`${lastQuestion()}`).not.toContain('/summarise');
  });

  test('is found again by an edit of any of its parts', async () => {
    const { Ann } = harness.group(['Ann']);
    harness.models.scripts.push('Old.', 'Older.');
    Ann.writes(`@switch_bot ${words(4000)}`);
    const rest = Ann.writes('When?');
    await harness.sees(Ann.chatId, 'Old.');
    await harness.settles(Ann.chatId);
    harness.telegram.editMessage(Ann.chatId, rest, { text: 'In which year?' });
    await harness.sees(Ann.chatId, 'Older.');
    expect(lastQuestion()).toMatch(/^The bell[\s\S]*\nIn which year\?$/);
  });

  test('is ignored without a mention, and a later question is a question of its own', async () => {
    const { Ann } = harness.group(['Ann']);
    await countRequests(Ann.chatId);
    Ann.writes(words(4090));
    Ann.writes('the end');
    await harness.passes(10_000);
    Ann.writes('@switch_bot hello');
    await harness.sees(Ann.chatId, 'You said: hello');
    expect(await countRequests(Ann.chatId)).toBe(1);
    const left = await harness.db.select().from(updates).where(isNotNull(updates.payload));
    expect(left).toEqual([]);
  });

  test('has all of its parts wherever others write in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
        fc.nat({ max: 5 }),
        fc.nat({ max: 200 }),
        async (interruptions, at, restLength) => {
          const { Ann, Bob } = harness.group(['Ann', 'Bob']);
          const mentioning = at % interruptions.length;
          const parts = interruptions.map((_, index) =>
            index === interruptions.length - 1 ? `rest ${words(restLength)}` : `part${index} ${words(4060)}`,
          );
          for (const [index, isInterrupted] of interruptions.entries()) {
            Ann.writes(`${index === mentioning ? '@switch_bot ' : ''}${parts[index]}`);
            if (isInterrupted) Bob.writes(`Bob says ${words(3950)}`);
          }
          await harness.sees(Ann.chatId, /^You said/);
          expect(lastQuestion()).toBe(parts.map((part) => part.trim()).join('\n'));
        },
      ),
      { numRuns: 5 },
    );
  });
});
