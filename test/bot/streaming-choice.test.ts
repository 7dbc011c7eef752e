import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import { createGate, goOnFrom } from '../support/scripted-models.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterEach(() => {
  play.models.scripts.length = 0;
});
afterAll(() => play.close());

/** Somebody who has chosen in the settings how answers appear. */
async function choose(name: string, way: string) {
  const person = play.person(name);
  person.writes('/settings');
  await person.presses('Answers in the chat');
  await person.presses('How answers appear');
  await play.sees(person.chatId, /How should answers appear/);
  await person.presses(way);
  await play.sees(person.chatId, new RegExp(`^How answers appear: ${way}$`, 'm'));
  await person.presses('Close');
  await play.shows(person.chatId, [`${name}: /settings`]);
  return person;
}

const endless = goOnFrom('On and on');

const draftsOf = (chatId: number) => play.telegram.drafts(chatId).map(({ text }) => text);

describe('an answer', () => {
  test('that is typed live shows as a draft, and is one message at the end', async () => {
    const ann = await choose('Ann', 'live typing');
    const gate = createGate();
    play.models.scripts.push(async (write) => {
      write('One two');
      await gate.passed;
      write(' three.');
      return undefined;
    });
    ann.writes('Count');
    await vi.waitFor(() => expect(draftsOf(ann.chatId)).toEqual(['One two']));
    expect(play.lines(ann.chatId)).toEqual(['Ann: /settings', 'Ann: Count']);
    gate.open();
    await play.shows(ann.chatId, ['Ann: /settings', 'Ann: Count', 'Bot: One two three.']);
    expect(draftsOf(ann.chatId)).toEqual([]);
  });

  test('that is typed live ends with the button of the draft and keeps its words', async () => {
    const ben = await choose('Ben', 'live typing');
    play.models.scripts.push(endless);
    ben.writes('Go');
    await vi.waitFor(() => expect(draftsOf(ben.chatId)).toEqual(['On and on']));
    const [draft] = play.telegram.drafts(ben.chatId);
    play.telegram.stopDraft(ben.chatId, draft?.draftId ?? '');
    await play.shows(ben.chatId, ['Ben: /settings', 'Ben: Go', 'Bot: On and on\n\n⏹ Stopped']);
    ben.writes('And now?');
    await play.sees(ben.chatId, 'You said: And now?');
  });

  test('that comes when it is finished does not move before', async () => {
    const cat = await choose('Cat', 'only when finished');
    play.models.scripts.push(endless);
    cat.writes('Go');
    await vi.waitFor(() => expect(play.models.scripts).toEqual([]));
    expect(play.lines(cat.chatId)).toEqual(['Cat: /settings', 'Cat: Go']);
    cat.writes('/stop');
    await play.sees(cat.chatId, 'Stopped.');
    await play.sees(cat.chatId, 'On and on\n\n⏹ Stopped');
    expect(play.telegram.calls('editMessageText').some(({ params }) => params['text'] === 'On and on')).toBe(false);
  });

  test('in a group grows whatever its asker has chosen for private chats', async () => {
    const { Dora } = play.group(['Dora']);
    const { id } = await play.accounts.ensureTelegramUser(Dora.id);
    await play.accounts.updateSettings(id, { streaming: 'drafts' });
    play.models.scripts.push(endless);
    Dora.writes('@switch_bot go');
    await play.shows(Dora.chatId, ['Dora: @switch_bot go', 'Bot: On and on [Stop]']);
    await Dora.presses('Stop');
  });
});
