import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const LONG_NAME = 'a-vendor-with-a-name/and-a-model-with-an-even-longer-name-70b-instruct';
const names = [
  'basic',
  ...Array.from({ length: 17 }, (_, index) => `llama-${index + 1}`),
  LONG_NAME,
  'qwen-small',
  'qwen-large',
];

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [...names.map((name) => createModelEntry(name)), createModelEntry('painter', { type: 'image' })],
  }),
);

/** Text and button rows of the newest message. */
function newestMenu(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const rows = message?.reply_markup?.inline_keyboard.map((row) => row.map((button) => button.text).join(' | '));
  return { text: message?.text, rows };
}

describe('the models', () => {
  test('are listed in pages of eight, with the current one marked', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model');
    await harness.sees(ann.chatId, /Choose a model/);
    expect(newestMenu(ann.chatId)).toEqual({
      text: 'Choose a model. Now: basic',
      rows: [
        '✓ basic',
        'llama-1',
        'llama-2',
        'llama-3',
        'llama-4',
        'llama-5',
        'llama-6',
        'llama-7',
        '« | 1/3 | »',
        'Copy link | Search | Close',
      ],
    });
    expect(await ann.presses('»')).toBe('');
    expect(await ann.presses('2/3')).toBe('');
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('llama-8');
    await ann.presses('»');
    await ann.presses('3/3');
    expect(newestMenu(ann.chatId).rows).toEqual([
      'llama-16',
      'llama-17',
      'a-vendor-with-a-na…name-70b-instruct',
      'qwen-small',
      'qwen-large',
      '« | 3/3 | »',
      'Copy link | Search | Close',
    ]);
    await ann.presses('»');
    await ann.presses('1/3');
    await ann.presses('Close');
    await harness.shows(ann.chatId, ['Ann: /model']);
  });

  test('are chosen by a button and answer from then on', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model qwen');
    await harness.sees(ann.chatId, /2 models with “qwen” in the name/);
    expect(newestMenu(ann.chatId).rows).toEqual(['qwen-small', 'qwen-large', 'All models | Search | Close']);
    await ann.presses('qwen-large');
    await harness.shows(ann.chatId, ['Ann: /model qwen', 'Bot: Now using qwen-large.']);
    ann.writes('Hi');
    await harness.sees(ann.chatId, 'You said: Hi');
    expect(harness.models.requests.at(-1)?.model).toBe('qwen-large');
    ann.writes('/model qwen');
    await ann.presses('✓ qwen-large');
  });

  test('are chosen at once by their exact name', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model Qwen-Small');
    await harness.sees(ann.chatId, 'Now using qwen-small.');
  });

  test('can be searched in a dialog', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model');
    await ann.presses('Search');
    await harness.sees(ann.chatId, 'Which model? Send me a part of its name.');
    ann.writes('LARGE qwen');
    await harness.sees(ann.chatId, /1 model with “LARGE qwen”/);
    await ann.presses('qwen-large');
    await harness.sees(ann.chatId, 'Now using qwen-large.');
    ann.writes('large');
    await harness.sees(ann.chatId, 'You said: large');
  });

  test('are searched by name, with a notice when none matches', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model painter');
    await harness.sees(ann.chatId, /No model matches “painter”/);
    await ann.presses('All models');
    await ann.presses('1/3');
    expect(newestMenu(ann.chatId).rows?.[0]).toBe('✓ basic');
  });

  test('cannot be chosen after they have disappeared from the catalogue', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model qwen-l');
    await harness.sees(ann.chatId, /1 model with/);
    harness.models.models = harness.models.models.filter(({ id }) => id !== 'qwen-large');
    expect(await ann.presses('qwen-large')).toBe('qwen-large is no longer available.');
    harness.models.models = [...harness.models.models, createModelEntry('qwen-large')];
  });
});

describe('a question of a dialog', () => {
  const cancels = (chatId: number) => harness.lines(chatId).filter((line) => line.endsWith('[Cancel]')).length;

  test('loses its Cancel button when it is answered, replaced or abandoned', async () => {
    const ann = harness.user('Ann');
    const endsWithNoCancel = () => expect.poll(() => cancels(ann.chatId)).toBe(0);
    ann.writes('/model');
    await ann.presses('Search');
    await harness.sees(ann.chatId, /^Which model\?/);
    expect(cancels(ann.chatId)).toBe(1);
    ann.writes('qwen');
    await harness.sees(ann.chatId, /2 models with/);
    await endsWithNoCancel();
    ann.writes('/imagine');
    await harness.sees(ann.chatId, /^What should the image show/);
    await ann.presses('Search');
    await expect
      .poll(() => harness.lines(ann.chatId).at(-1))
      .toBe('Bot: Which model? Send me a part of its name. [Cancel]');
    await expect.poll(() => cancels(ann.chatId)).toBe(1);
    await ann.presses('All models');
    await harness.hasHandledAll();
    expect(cancels(ann.chatId)).toBe(1);
    ann.writes('/new');
    await endsWithNoCancel();
  });
});

describe('buttons', () => {
  test('of another user answer with a hint and do nothing', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/model qwen');
    await harness.sees(Ann.chatId, /2 models/);
    expect(await Bob.presses('qwen-small')).toBe('This button belongs to someone else.');
    expect(newestMenu(Ann.chatId).text).toMatch(/2 models/);
  });

  test('with unknown or expired data answer with a hint', async () => {
    const ann = harness.user('Ann');
    const answered = harness.telegram.calls('answerCallbackQuery').length;
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
    const message = { message_id: 1, date: 1, chat, text: 'old' };
    for (const data of ['no-such-token', '', undefined]) {
      await harness.receives({ callback_query: { id: '1', from, chat_instance: '1', data, message } });
    }
    const calls = harness.telegram.calls('answerCallbackQuery').slice(answered);
    expect(calls).toHaveLength(3);
  });

  test('pressed twice at once are answered twice and act once', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model qwen');
    await harness.sees(ann.chatId, /2 models/);
    const hints = await Promise.all([ann.presses('Close'), ann.presses('Close')]);
    expect(hints).toEqual(['', '']);
    await harness.shows(ann.chatId, ['Ann: /model qwen']);
  });
});

describe('instructions for the model', () => {
  test('are set, shown and removed with /system, and sent to the model', async () => {
    const ann = harness.user('Ann');
    ann.writes('/system');
    await harness.sees(ann.chatId, /has no instructions[\s\S]*Send me the instructions/);
    expect(newestMenu(ann.chatId).rows).toEqual(['Cancel']);
    ann.writes('/system Answer briefly.\nIn rhymes.');
    await harness.sees(ann.chatId, /Saved/);
    ann.writes('Hi');
    await harness.sees(ann.chatId, 'You said: Hi');
    expect(harness.models.requests.at(-1)?.messages[0]).toEqual({
      role: 'system',
      content: 'Answer briefly.\nIn rhymes.',
    });
    ann.writes('/system');
    await harness.sees(ann.chatId, 'Your instructions for the model:\n\nAnswer briefly.\nIn rhymes.');
    expect(newestMenu(ann.chatId).rows).toEqual(['Change | Remove', 'Use in every conversation', 'Personas | Close']);
    await ann.presses('Remove');
    await harness.sees(ann.chatId, 'Instructions removed.');
    ann.writes('And now?');
    await harness.sees(ann.chatId, 'You said: And now?');
    expect(harness.models.requests.at(-1)?.messages[0]?.role).toBe('user');
  });

  test('are taken from the message after /system if there are none, and after Change otherwise', async () => {
    const ann = harness.user('Ann');
    ann.writes('/system');
    await harness.sees(ann.chatId, /Send me the instructions for the model\.$/);
    ann.writes('Be kind.');
    await harness.sees(ann.chatId, /Saved/);
    ann.writes('Be kind.');
    await harness.sees(ann.chatId, 'You said: Be kind.');
    expect(harness.models.requests.at(-1)?.messages[0]).toEqual({ role: 'system', content: 'Be kind.' });
    ann.writes('/system');
    await harness.sees(ann.chatId, /^Your instructions/);
    ann.writes('Be brief.');
    await harness.sees(ann.chatId, 'You said: Be brief.');
    await ann.presses('Change');
    await harness.sees(ann.chatId, 'Send me the instructions for the model.');
    ann.writes('Rhyme.');
    await harness.sees(ann.chatId, /Saved/);
  });

  test('stay unchanged when the dialog is cancelled by the button or by another command', async () => {
    const ann = harness.user('Ann');
    ann.writes('/system');
    await ann.presses('Cancel');
    await harness.sees(ann.chatId, 'Cancelled.');
    ann.writes('Hi');
    await harness.sees(ann.chatId, 'You said: Hi');
    ann.writes('/settings');
    await ann.presses('Instructions');
    await ann.presses('Write instructions');
    await harness.sees(ann.chatId, 'Send me the instructions for the model.');
    ann.writes('/help');
    await harness.sees(ann.chatId, /I read text, photos/);
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
  });

  test('have a maximum length, and longer ones change nothing', async () => {
    const ann = harness.user('Ann');
    ann.writes('/system Be kind.');
    await harness.sees(ann.chatId, /Saved/);
    ann.writes(`/system ${'x'.repeat(4001)}`);
    await harness.sees(ann.chatId, /4001 characters, and the limit is 4000/);
    ann.writes(`/system ${'y'.repeat(4000)}`);
    await harness.sees(ann.chatId, /Saved/);
    ann.writes('/system');
    await harness.sees(ann.chatId, /yyyy/);
  });
});

describe('commands', () => {
  test.each(['/HELP', '/Help', '/hElP@Switch_Bot'])('are known in capitals: %s', async (command) => {
    const ann = harness.user('Ann');
    ann.writes(command);
    await harness.sees(ann.chatId, /\/new/);
  });

  test('in capitals start a conversation, take an argument, and stand in captions', async () => {
    const ann = harness.user('Ann');
    ann.writes('/NEW');
    await harness.sees(ann.chatId, /new conversation/i);
    ann.writes('/Model qwen');
    await harness.sees(ann.chatId, /2 models/);
    ann.writes('/SYSTEM Answer Briefly.');
    await harness.sees(ann.chatId, /Saved/);
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    expect(JSON.stringify(harness.models.requests.at(-1)?.messages[0])).toContain('Answer Briefly.');
    ann.sends({
      kind: 'document',
      bytes: Buffer.from('Plums.'),
      mimeType: 'text/plain',
      fileName: 'a.txt',
      caption: '/SAVE',
    });
    await harness.sees(ann.chatId, /a\.txt/);
  });

  test('in capitals work in groups, and unknown ones are repeated as they were written', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('/NEW@switch_bot');
    await harness.sees(Ann.chatId, /new conversation/i);
    Ann.writes('/NoSuchThing@switch_bot');
    await harness.sees(Ann.chatId, /I don’t know \/NoSuchThing/);
  });
});

describe('settings', () => {
  test('show the current values and lead to each of them', async () => {
    const ann = harness.user('Ann');
    ann.writes('/settings');
    await harness.sees(
      ann.chatId,
      [
        'Settings',
        '',
        'Language: English (as in Telegram)',
        'Time zone: Europe/London (guessed)',
        'Model: basic',
        'Image model: painter',
        'Creativity: model default',
        'Length: normal',
        'Instructions: none',
        'Memory: on',
      ].join('\n'),
    );
    await ann.presses('Answers in the chat');
    await harness.sees(
      ann.chatId,
      [
        'Answers in the chat',
        '',
        'How answers appear: growing message',
        'Tables and formulas: formatted',
        'Model reasoning: shown',
        '👍 👎 below answers: shown',
      ].join('\n'),
    );
    await ann.presses('Back');
    await ann.presses('Instructions');
    await harness.sees(ann.chatId, /has no instructions/);
    await ann.presses('Back');
    await ann.presses('Model');
    await harness.sees(ann.chatId, /Choose a model/);
    await ann.presses('»');
    expect(newestMenu(ann.chatId).rows?.at(-1)).toBe('Copy link | Search | Back');
    await ann.presses('llama-8');
    await harness.sees(ann.chatId, 'Now using llama-8.');
    await ann.presses('Back');
    await harness.sees(ann.chatId, /^Settings\n[\s\S]*Model: llama-8/);
  });

  test('change the image model', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [...harness.models.models, createModelEntry('sketcher', { type: 'image' })];
    ann.writes('/settings');
    await ann.presses('Image model');
    await harness.sees(ann.chatId, 'Which model should create images?');
    expect(newestMenu(ann.chatId).rows).toEqual(['✓ painter', 'sketcher', 'Back']);
    await ann.presses('sketcher');
    await harness.sees(ann.chatId, /Image model: sketcher/);
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, /^a fox\nsketcher · 1:1$/);
    harness.models.models = harness.models.models.filter(({ id }) => id !== 'sketcher');
  });

  test('change the time zone by a button, a city or a name', async () => {
    const ann = harness.user('Ann');
    ann.writes('/settings');
    await ann.presses('Time zone');
    await harness.sees(ann.chatId, 'In which time zone should I show times?');
    expect(newestMenu(ann.chatId).rows?.slice(-3)).toEqual(['UTC', 'Another city…', 'Back']);
    await ann.presses('Europe/London');
    await harness.sees(ann.chatId, /Time zone: Europe\/London/);
    await ann.presses('Time zone');
    await harness.sees(ann.chatId, 'In which time zone should I show times?');
    await ann.presses('Another city…');
    await harness.sees(ann.chatId, /Send me a large city/);
    ann.writes('Atlantis');
    await harness.sees(ann.chatId, /don’t know this city/);
    ann.writes('san');
    await harness.sees(ann.chatId, 'Which one?');
    expect(newestMenu(ann.chatId).rows).toContain('America/Santiago');
    await ann.presses('Another city…');
    ann.writes('new york');
    await harness.sees(ann.chatId, /Time zone: America\/New_York/);
  });

  test('change the language permanently', async () => {
    const ann = harness.user('Ann');
    ann.writes('/settings');
    await ann.presses('Language');
    await ann.presses('Русский');
    await harness.sees(ann.chatId, /^Настройки\n\nЯзык: Русский\n/);
    ann.writes('/new');
    await harness.sees(ann.chatId, /^Начат новый разговор/);
    await ann.presses('Язык');
    await ann.presses('Как в Telegram');
    await harness.sees(ann.chatId, /Language: English \(as in Telegram\)/);
  });
});

describe('a user with a Russian client', () => {
  test('gets Russian answers from the start', async () => {
    const oleg = harness.user('Олег', 'ru');
    oleg.writes('/start');
    await harness.sees(oleg.chatId, /^Здравствуйте! Напишите мне, и basic ответит\./);
    await oleg.presses('Выбрать модель');
    await harness.sees(oleg.chatId, 'Выберите модель. Сейчас: basic');
    oleg.writes('/model qwen');
    await harness.sees(oleg.chatId, /2 модели с «qwen» в имени/);
    oleg.writes('/чтоэто');
    await harness.sees(oleg.chatId, 'You said: /чтоэто');
    oleg.writes('/what');
    await harness.sees(oleg.chatId, 'Я не знаю команду /what. Что я умею: /help.');
  });
});

describe('/start', () => {
  test('leads to the models in one tap', async () => {
    const ann = harness.user('Ann');
    ann.writes('/start from_a_link');
    await harness.sees(ann.chatId, /^Hi! Write me a message and basic will answer\./);
    await ann.presses('Choose a model');
    await harness.sees(ann.chatId, 'Choose a model. Now: basic');
  });

  test('leads to an answer in three taps, and its first steps stay', async () => {
    const ann = harness.user('Ann');
    ann.writes('/start');
    await ann.presses('Ask something');
    await ann.presses('Plan a weekend in Lisbon');
    await harness.shows(ann.chatId, [
      'Ann: /start',
      expect.stringMatching(/^Bot: Hi! .*\[Ask something\]/s),
      'Bot: You asked: Plan a weekend in Lisbon',
      'Bot: You said: Plan a weekend in Lisbon',
    ]);
  });

  test('leads to images and files', async () => {
    const ann = harness.user('Ann');
    ann.writes('/start');
    await ann.presses('Create an image');
    await harness.sees(ann.chatId, 'What should the image show? Describe it.');
    expect(harness.lines(ann.chatId)[1]).toMatch(/everything else\. \[Ask something\]/);
    await ann.presses('Save a file');
    await harness.sees(ann.chatId, /^Send me any file/);
  });

  test('has menus that all lead back to the welcome', async () => {
    const ann = harness.user('Ann');
    ann.writes('/start');
    const welcomed = () => harness.sees(ann.chatId, /^Hi! Write me a message/);
    await welcomed();
    const { rows } = newestMenu(ann.chatId);
    const opens = async (button: string, text: RegExp) => {
      await ann.presses(button);
      await harness.sees(ann.chatId, text);
    };
    await opens('Ask something', /try one of these/);
    await opens('Back', /^Hi!/);
    await opens('Save a file', /^Send me any file/);
    await opens('Back', /^Hi!/);
    await opens('Choose a persona', /^Who should answer/);
    await opens('»', /^Who should answer/);
    await opens('📖 Storyteller', /Storyteller answers in this conversation/);
    await opens('Back', /^Who should answer\? Now/);
    await opens('Back', /^Hi!/);
    await opens('Choose a model', /^Choose a model/);
    await opens('llama-1', /^Now using llama-1/);
    await opens('Back', /^Hi! Write me a message and llama-1/);
    expect(newestMenu(ann.chatId).rows).toEqual(rows);
  });

  test('commands are in the command menu of each language', () => {
    const sets = harness.telegram.state().bot.commandSets;
    const languages = sets.filter(({ scope }) => scope === 'all_private_chats').map((set) => set.languageCode);
    expect(languages.toSorted()).toEqual(['', 'ru']);
    for (const { commands } of sets) expect(commands.length).toBeGreaterThan(3);
  });

  test('unknown commands get a hint', async () => {
    const ann = harness.user('Ann');
    ann.writes('/dance');
    await harness.sees(ann.chatId, 'I don’t know /dance. /help lists what I can do.');
  });
});
