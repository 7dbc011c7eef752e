import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
afterEach(() => {
  harness.models.scripts.length = 0;
});

/** Creates a user who has chosen in /settings how answers appear. */
async function choose(name: string, way: string) {
  const person = harness.user(name);
  person.writes('/settings');
  await person.presses('Answers in the chat');
  await person.presses('How answers appear');
  await harness.sees(person.chatId, /How should answers appear/);
  await person.presses(way);
  await harness.sees(person.chatId, new RegExp(`^How answers appear: ${way}$`, 'm'));
  await person.presses('Close');
  await harness.shows(person.chatId, [`${name}: /settings`]);
  return person;
}

const endless = goOnFrom('On and on');

const draftsOf = (chatId: number) => harness.telegram.drafts(chatId).map(({ text }) => text);

describe('an answer', () => {
  test('with live typing is shown as a draft and becomes one message', async () => {
    const ann = await choose('Ann', 'live typing');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('One two');
      await gate.passed;
      write(' three.');
      return undefined;
    });
    ann.writes('Count');
    await vi.waitFor(() => expect(draftsOf(ann.chatId)).toEqual(['One two']));
    expect(harness.lines(ann.chatId)).toEqual(['Ann: /settings', 'Ann: Count']);
    gate.open();
    await harness.shows(ann.chatId, ['Ann: /settings', 'Ann: Count', 'Bot: One two three.']);
    expect(draftsOf(ann.chatId)).toEqual([]);
  });

  test('with live typing keeps its text when the draft is stopped', async () => {
    const ben = await choose('Ben', 'live typing');
    harness.models.scripts.push(endless);
    ben.writes('Go');
    await vi.waitFor(() => expect(draftsOf(ben.chatId)).toEqual(['On and on']));
    const [draft] = harness.telegram.drafts(ben.chatId);
    harness.telegram.stopDraft(ben.chatId, draft?.draftId ?? '');
    await harness.shows(ben.chatId, ['Ben: /settings', 'Ben: Go', 'Bot: On and on\n\n⏹ Stopped']);
    ben.writes('And now?');
    await harness.sees(ben.chatId, 'You said: And now?');
  });

  test('that is shown only when finished is sent once', async () => {
    const cat = await choose('Cat', 'only when finished');
    harness.models.scripts.push(endless);
    cat.writes('Go');
    await vi.waitFor(() => expect(harness.models.scripts).toEqual([]));
    expect(harness.lines(cat.chatId)).toEqual(['Cat: /settings', 'Cat: Go']);
    cat.writes('/stop');
    await harness.sees(cat.chatId, 'Stopped.');
    await harness.sees(cat.chatId, 'On and on\n\n⏹ Stopped');
    expect(harness.telegram.calls('editMessageText').some(({ params }) => params['text'] === 'On and on')).toBe(false);
  });

  test('in a group is streamed by edits, regardless of the setting for private chats', async () => {
    const { Dora } = harness.group(['Dora']);
    const { id } = await harness.accounts.ensureTelegramUser(Dora.id);
    await harness.accounts.updateSettings(id, { streaming: 'drafts' });
    harness.models.scripts.push(endless);
    Dora.writes('@switch_bot go');
    await harness.shows(Dora.chatId, ['Dora: @switch_bot go', 'Bot: On and on [Stop]']);
    await Dora.presses('Stop');
  });
});
