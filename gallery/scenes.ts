import { writePdf } from '../test/support/samples/documents.ts';
import { toWav } from '../test/support/samples/media.ts';
import { drawLandscape } from './scripted-provider.ts';
import type { Family, Player, Stage } from './stage.ts';

/** Scene with one image in the gallery. */
export interface Scene {
  /** File name of the image, without extension. */
  readonly name: string;
  readonly title: string;
  /** Alternative text of the image. */
  readonly words: string;
  readonly isDark?: boolean;
  /** Size of the window in pixels. Default: a phone's. */
  readonly window?: { readonly width: number; readonly height: number };
  /** Text in the input field of the image. */
  readonly typed?: string;
  /** Text that the page loads after it has appeared. */
  readonly shows?: string;
  /** Button of the page that is pressed then. */
  readonly presses?: string;
  /** Plays the scene. @returns the chat to show, or the address of a page, relative to that of the service. */
  play(stage: Stage): Promise<Player | string>;
}

const DESK = { width: 1000, height: 700 };
const PARAGRAPHS = [
  'Rental agreement. Section 1: the flat has two rooms, 54 square metres, third floor.',
  'Section 4: the deposit is two months rent, 1480 euros, to be paid back within 60 days.',
];

const LONG_MESSAGE = `So, I have seen the flat in Mill Street. Two rooms and a kitchen that one can sit in, fourth floor with a lift. The street is loud, but the bedroom is quiet, it faces the courtyard.

He wants 940 with heating, three months in advance, and an answer by Friday because others are interested (they always are). The bathroom window does not close; he says that he will have it repaired "in spring", I would want that in writing, before June. The cellar is dry. Bicycles stand in the yard. What do you think?`;

/** All scenes, in the order of the gallery. A new feature adds one here. */
export const SCENES: readonly Scene[] = [
  {
    name: 'welcome',
    title: 'First contact',
    words: 'The greeting, with three first steps as buttons.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/start');
      await ann.sees('Hi!');
      return ann;
    },
  },
  {
    name: 'streamed-answer',
    title: 'Answers grow while they are written',
    words: 'An answer while it is being written, already formatted, with a Stop button.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Why is the sky blue?');
      await ann.sees('So from every direction some');
      return ann;
    },
  },
  {
    name: 'code-and-tables',
    title: 'Code, tables and formulas',
    words: 'A Python block, a table and formulas as Telegram shows them.',
    isDark: true,
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Show me two ways to compute Fibonacci numbers in Python, and compare them');
      await ann.isAnswered('In closed form');
      return ann;
    },
  },
  {
    name: 'variants',
    title: 'Variants of an answer',
    words: 'The second of two answers, with arrows to switch and the name of the model.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Find a name for a café');
      await ann.isAnswered('Slow Kettle');
      await ann.presses('Other model');
      await ann.presses('swift');
      await ann.isAnswered('Bean & Gone');
      return ann;
    },
  },
  {
    name: 'compare',
    title: 'Comparing models',
    words: 'Two models answer one question, each in its message, with time, tokens and cost.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/compare Is a hot dog a sandwich?');
      await ann.presses('aurora');
      await ann.presses('swift');
      await ann.presses('▶️ Compare (2)');
      await ann.sees('Order a sandwich');
      await ann.isAnswered(/ s · \d/);
      return ann;
    },
  },
  {
    name: 'thoughts',
    title: 'Reasoning',
    words: 'The model’s reasoning, folded above the answer.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('A farmer with a wolf, a goat and a cabbage wants to cross a river. The boat takes one of them. How?');
      await ann.isAnswered('The goat is never left alone');
      return ann;
    },
  },
  {
    name: 'tools',
    title: 'Tool calls',
    words: 'The model has called the calculator and answers with its result.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('What becomes of 2500 € in 12 years at 7 %? (2500 · 1.07^12)');
      await ann.isAnswered('5 630.48');
      return ann;
    },
  },
  {
    name: 'memory',
    title: 'Memory',
    words:
      'What a model has remembered, below an answer that used it: numbers lead to a note and the message it comes from.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('I am vegetarian and allergic to nuts, please keep that in mind');
      await ann.isAnswered('Noted');
      ann.writes('/remember Cooks for two, on weekdays within 40 minutes');
      await ann.sees('Remembered');
      ann.writes('What shall we have for dinner?');
      await ann.isAnswered('risotto');
      ann.writes('/memory');
      await ann.sees('2 of 200 notes');
      return ann;
    },
  },
  {
    name: 'web-search',
    title: 'Web search',
    words: 'The model has searched the web: links to pages below the answer.',
    window: { width: 430, height: 540 },
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Can I see northern lights in Tromsø tonight?');
      await ann.isAnswered('tonight is promising');
      return ann;
    },
  },
  {
    name: 'chart',
    title: 'Charts',
    words: 'A chart that the model has drawn, as a photo in the chat.',
    window: { width: 430, height: 650 },
    isDark: true,
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Show me the temperatures of Oslo, Lisbon and Cairo over the year as a chart');
      await ann.isAnswered('warmest all year');
      return ann;
    },
  },
  {
    name: 'tasks',
    title: 'Tasks and reminders',
    words: 'A planned task, and the answer of its run.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Every weekday at 8 tell me what is new about the Moon missions, but only if there is news');
      await ann.isAnswered('From Monday to Friday');
      await ann.presses('✓ Europe/London');
      await ann.presses('Change or delete');
      await ann.presses('▶️ Run now');
      await ann.isAnswered('Artemis');
      await ann.presses('Back');
      await ann.sees('task in this chat');
      return ann;
    },
  },
  {
    name: 'personas',
    title: 'Personas',
    words: 'The list of personas: teacher, cook, proofreader and others.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/persona');
      await ann.sees('Who should answer?');
      return ann;
    },
  },
  {
    name: 'threads',
    title: 'Conversations',
    words: 'The conversations of a chat, and the actions for one of them.',
    async play(stage) {
      const ann = stage.person('Ann');
      for (const question of ['Why do bells ring?', 'How long should tea draw?', 'How high is the Eiffel tower?']) {
        ann.writes('/new');
        ann.writes(question);
        await ann.isAnswered(/bells|tea|Tower|swings/);
        await ann.sees({ W: /swings/, H: /°C|330/ }[question[0] ?? ''] ?? /./);
      }
      ann.writes('/threads');
      await ann.sees('Your conversations (3)');
      await ann.presses('Why do bells ring?');
      await ann.sees('2 messages');
      ann.writes('/threads');
      await ann.sees(/Your conversations \(3\)/);
      return ann;
    },
  },
  {
    name: 'share',
    title: 'Sharing a conversation',
    words:
      'The bot says what others will see, then sends a link and, hidden by a spoiler, the key that deletes the page.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Why do bells ring?');
      await ann.isAnswered('swings');
      ann.writes('/share');
      await ann.presses('Create page');
      await ann.sees('Owner key');
      ann.writes('/share');
      await ann.sees('Anyone with the link sees');
      return ann;
    },
  },
  {
    name: 'shared-page',
    title: 'The page of a shared conversation',
    words: 'Question and answer on a web page, with code, table and formula.',
    window: DESK,
    play: (stage) => sharePage(stage),
  },
  {
    name: 'shared-page-phone',
    title: 'The same page on a phone, in dark mode',
    words: 'The page adapts to the colour scheme and the width of the device.',
    isDark: true,
    play: (stage) => sharePage(stage),
  },
  {
    name: 'imagine',
    title: 'Images',
    words: 'An image generated by a command, with buttons for more.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/imagine a lighthouse in the evening --ratio 16:9');
      await ann.sees('canvas · 16:9');
      return ann;
    },
  },
  {
    name: 'files',
    title: 'Files become links',
    words: 'The answer to a document: its link, and buttons for everything else.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.sends({
        kind: 'document',
        bytes: writePdf(PARAGRAPHS),
        mimeType: 'application/pdf',
        fileName: 'rental agreement.pdf',
      });
      await ann.sees('/file/');
      ann.writes('/files');
      await ann.sees('Your files: 1');
      return ann;
    },
  },
  {
    name: 'find',
    title: 'Library',
    words: 'What /find has found in a stored file, an answer and a question.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.sends({
        kind: 'document',
        bytes: writePdf(PARAGRAPHS),
        mimeType: 'application/pdf',
        fileName: 'rental agreement.pdf',
      });
      await ann.sees('/file/');
      ann.writes('Is the deposit of a flat usually two months of rent?');
      await ann.isAnswered('1 480');
      await stage.isIndexed();
      ann.writes('/find deposit rent');
      await ann.sees('results for');
      return ann;
    },
  },
  {
    name: 'documents',
    title: 'Questions about documents',
    words: 'A PDF with a question as its caption, and the answer.',
    async play(stage) {
      const ann = stage.person('Ann');
      const bytes = writePdf(PARAGRAPHS);
      ann.sends({
        kind: 'document',
        bytes,
        mimeType: 'application/pdf',
        fileName: 'rental agreement.pdf',
        caption: 'How high is the deposit?',
      });
      await ann.isAnswered('1 480');
      return ann;
    },
  },
  {
    name: 'voice',
    title: 'Voice messages',
    words: 'A voice message, its transcript, and the answer.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.sends({ kind: 'voice', bytes: toWav(3), mimeType: 'audio/ogg', fileName: 'voice.ogg' });
      await ann.isAnswered('built on hills');
      return ann;
    },
  },
  {
    name: 'read-aloud',
    title: 'Reading aloud',
    words: 'An answer, and the voice message that 🔊 made of it.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('How long should tea draw?');
      await ann.isAnswered('Black tea');
      await ann.presses('⋯');
      await ann.presses('🔊');
      await ann.hears();
      return ann;
    },
  },
  {
    name: 'photos',
    title: 'Questions about photos',
    words: 'A photo with a question, and the answer.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.sends({
        kind: 'photo',
        bytes: await drawLandscape(),
        mimeType: 'image/png',
        fileName: 'photo.png',
        caption: 'What is this?',
      });
      await ann.isAnswered('drawing of a landscape');
      return ann;
    },
  },
  {
    name: 'groups',
    title: 'Groups',
    words: 'In a group the bot answers mentions and stays silent otherwise.',
    async play(stage) {
      const [ann, bob, nina] = stage.group('Weekend trip', ['Ann', 'Bob', 'Nina']);
      if (!ann || !bob || !nina) throw new Error('nobody is there');
      ann.writes('Who knows when we leave on Saturday?');
      bob.writes('After breakfast, I think');
      nina.writes('@switchboard_bot which train gets us to the hut before noon?');
      await nina.isAnswered('8:04');
      return nina;
    },
  },
  {
    name: 'summary',
    title: 'Summaries',
    words: 'A long message, and its summary.',
    async play(stage) {
      const [ann, bob] = stage.group('Flat hunting', ['Ann', 'Bob']);
      if (!ann || !bob) throw new Error('nobody is there');
      const long = bob.writes(LONG_MESSAGE);
      ann.writes('/summarise@switchboard_bot', { replyTo: long });
      await ann.isAnswered('Mill Street');
      return ann;
    },
  },
  {
    name: 'group-settings',
    title: 'Settings of a group',
    words:
      'Settings for admins of the group: model, language, what is answered, and whether recent messages are remembered.',
    async play(stage) {
      const [ann] = stage.group('Choir', ['Ann', 'Bob', 'Nina']);
      if (!ann) throw new Error('nobody is there');
      ann.writes('/settings@switchboard_bot');
      await ann.sees('Settings of this group');
      return ann;
    },
  },
  {
    name: 'inline',
    title: 'Questions in any chat',
    words: 'A question with @ in a chat that the bot is not in; the answer is in the user’s message.',
    async play(stage) {
      const [ann, bob] = stage.group('Tea and cake', ['Ann', 'Bob'], { isBotThere: false });
      if (!ann || !bob) throw new Error('nobody is there');
      bob.writes('How long does green tea need?');
      await ann.asksInline('How long should tea draw?');
      await ann.sees('Black tea');
      return ann;
    },
  },
  {
    name: 'inline-results',
    title: 'Inline results',
    words: 'Typing @ and some words offers to ask the model, and the user’s files of that name.',
    typed: '@switchboard_bot tea',
    async play(stage) {
      const ann = stage.person('Ann');
      for (const [fileName, words] of [
        ['tea-list.pdf', 'Sencha, Darjeeling, Assam'],
        ['tea-party-plan.pdf', 'Cups for nine'],
      ] as const) {
        ann.sends({ kind: 'document', fileName, mimeType: 'application/pdf', bytes: writePdf([words]) });
        await ann.sees(fileName);
      }
      return ann;
    },
  },
  {
    name: 'models',
    title: 'Many models',
    words: 'The list of models; one tap chooses one.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/model');
      await ann.sees('Choose a model');
      return ann;
    },
  },
  {
    name: 'settings',
    title: 'Settings',
    words: 'Language, models, length, creativity and how answers appear.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/settings');
      await ann.sees('Settings');
      return ann;
    },
  },
  {
    name: 'russian',
    title: 'Two languages',
    words: 'The help, in Russian.',
    async play(stage) {
      const anna = stage.person('Анна', 'ru');
      anna.writes('/help');
      await anna.sees('/threads');
      return anna;
    },
  },
  {
    name: 'privacy',
    title: 'Your data',
    words: 'What is stored, and how to export or delete it.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/privacy');
      await ann.sees('/forget');
      return ann;
    },
  },
  {
    name: 'api-key',
    title: 'API keys',
    words: 'A key with its use and its rules: models, limits, expiry, a new secret, a pause.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('/key laptop');
      await ann.sees('Base URL');
      await ann.presses('Done');
      await ann.presses('laptop');
      await ann.sees('Never used');
      return ann;
    },
  },
  {
    name: 'usage',
    title: 'Usage and money',
    words: 'What the user has spent, by model, with a chart in dollars, tokens or images.',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Show me two ways to compute Fibonacci numbers in Python, and compare them');
      await ann.isAnswered('In closed form');
      ann.writes('/usage');
      await ann.sees('This month');
      await ann.presses('Dollars');
      await ann.sees('This month');
      return ann;
    },
  },
  {
    name: 'first-admin',
    title: 'The first admin',
    words: 'The link on the terminal makes an admin, who says who may use the bot.',
    window: { width: 430, height: 420 },
    play: async (stage) => (await stage.family()).founder,
  },
  {
    name: 'access-question',
    title: 'Asking for access',
    words: 'A stranger of a private bot has asked the admins for access.',
    window: { width: 430, height: 420 },
    play: async (stage) => (await askForAccess(stage, 'Ann')).user,
  },
  {
    name: 'access-request',
    title: 'Requests for access',
    words: 'The admin’s message about a request, with buttons to allow, ignore and block.',
    window: { width: 430, height: 620 },
    async play(stage) {
      const { founder } = await askForAccess(stage, 'Ben');
      await founder.sees(/asks for access|waiting/);
      return founder;
    },
  },
  {
    name: 'invitation',
    title: 'Invitation links',
    words: 'A user has opened an invitation link and is greeted.',
    window: { width: 430, height: 590 },
    async play(stage) {
      const { founder, person } = await openPrivateBot(stage);
      const cleo = person('Cleo');
      cleo.writes(`/start ${await invite(founder)}`);
      await cleo.sees('Hi!');
      return cleo;
    },
  },
  {
    name: 'announcement',
    title: 'Broadcasts',
    words: 'The preview of a broadcast before an admin sends it to all users.',
    async play(stage) {
      const olga = stage.operator();
      olga.writes('/announce');
      await olga.sees(/announce|Send/i);
      olga.writes('On Sunday from 3 to 4 in the morning I sleep: new disks are put in. 💾');
      await olga.sees(/users?/i);
      return olga;
    },
  },
  {
    name: 'statistics',
    title: 'Statistics for admins',
    words: 'Users, requests, tokens and cost of the last days, with a chart.',
    async play(stage) {
      const olga = stage.operator();
      olga.writes('/stats');
      await olga.sees('Requests:');
      return olga;
    },
  },
  {
    name: 'console-usage',
    title: 'The console: usage and limits',
    words: 'Requests, tokens and cost by day and model in a browser, and what is left.',
    window: { width: 1280, height: 800 },
    shows: 'By model',
    async play(stage) {
      const ann = stage.person('Ann');
      ann.writes('Show me two ways to compute Fibonacci numbers in Python, and compare them');
      await ann.isAnswered('In closed form');
      return openConsole(ann, 'usage');
    },
  },
  {
    name: 'console-keys',
    title: 'The console: API keys on a phone',
    words: 'API keys with their state, and what can be done with them.',
    isDark: true,
    shows: 'Home Assistant',
    async play(stage) {
      const bob = stage.person('Bob');
      for (const name of ['laptop', 'Home Assistant']) {
        bob.writes(`/key ${name}`);
        await bob.sees(`“${name}”`);
      }
      return openConsole(bob, 'keys');
    },
  },
  {
    name: 'console-new-key',
    title: 'The console: a new key with a budget',
    words: 'A new key asks for its name and its budget; the rest is behind More.',
    shows: 'New key',
    presses: 'New key',
    play: async (stage) => openConsole(stage.person('Cleo'), 'keys'),
  },
  {
    name: 'console-access',
    title: 'The console: access',
    words: 'Requests for access, invitation links, and groups whose members have access.',
    window: { width: 1280, height: 860 },
    shows: 'Let in by',
    async play(stage) {
      const { url, founder, group } = await askForAccess(stage, 'Dana');
      const olga = group('Family');
      olga.writes('/settings@family_bot');
      await olga.presses('Let members use me in private');
      await olga.sees('Members may use me in private');
      await invite(founder);
      return url + (await openConsole(founder, 'access'));
    },
  },
  {
    name: 'console-service-settings',
    title: 'The console: a provider by a form',
    words: 'A provider is added by a form: its name, its key, and the rest behind More.',
    window: { width: 1280, height: 800 },
    shows: 'Providers',
    presses: 'Add: Providers',
    play: async (stage) => openConsole(stage.operator(), 'service-settings'),
  },
  {
    name: 'console-users',
    title: 'The console: users, for admins',
    words: 'Users with their plans and states; one search finds users, keys, models and pages.',
    window: { width: 1280, height: 800 },
    shows: 'Telegram id',
    play: async (stage) => openConsole(stage.operator(), 'users'),
  },
  {
    name: 'start-page',
    title: 'The start page',
    words: 'What runs without any setting, and checked steps to a bot of one’s own.',
    window: { width: 1280, height: 900 },
    shows: 'Set up your own bot',
    play: async (stage) => `${await stage.playground()}/console/`,
  },
  {
    name: 'front-page',
    title: 'The front page',
    words: 'The addresses of the service.',
    window: { width: 1000, height: 560 },
    play: async () => '/',
  },
  {
    name: 'api-reference',
    title: 'The API reference',
    words: 'Every route with its parameters and answers.',
    window: DESK,
    play: async () => '/docs',
  },
  {
    name: 'file-page',
    title: 'The page of a file',
    words: 'What a browser shows for the link of a file.',
    window: DESK,
    async play({ service }) {
      const fields = new FormData();
      fields.set('file', new File([await drawLandscape()], 'evening.png', { type: 'image/png' }));
      const answer = await fetch(`${service.url}/upload`, { method: 'POST', body: fields });
      return `/file/${String(Reflect.get(Object(await answer.json()), 'id'))}`;
    },
  },
];

async function openPrivateBot(stage: Stage): Promise<Family> {
  const family = await stage.family();
  await family.close();
  return family;
}

/** Opens the private bot to a new user, who asks for access. */
async function askForAccess(stage: Stage, name: string): Promise<Family & { readonly user: Player }> {
  const family = await openPrivateBot(stage);
  const user = family.person(name);
  user.writes('Hello');
  await user.sees('This bot is private');
  await user.presses('Ask for access');
  await user.sees('I have asked the admins');
  return { ...family, user };
}

/** @returns the payload of a new invitation link */
async function invite(admin: Player): Promise<string> {
  admin.writes('/invite');
  await admin.presses('New link');
  await admin.presses('Create the link');
  const [, payload = ''] = /start=(j_[\w-]+)/.exec(await admin.sees('start=j_')) ?? [];
  return payload;
}

/** Signs in by the bot's link. @returns the address of a page of the console */
async function openConsole(player: Player, page: string): Promise<string> {
  player.writes('/console');
  const [code = ''] = /#code=[\w-]+/.exec(await player.sees('#code=')) ?? [];
  return `/console/?page=${page}${code}`;
}

async function sharePage(stage: Stage): Promise<string> {
  const ann = stage.person('Ann');
  ann.writes('Show me two ways to compute Fibonacci numbers in Python, and compare them');
  await ann.isAnswered('In closed form');
  ann.writes('/share');
  await ann.presses('Create page');
  const [path = ''] = /\/share\/[\w-]{22}/.exec(await ann.sees('Owner key')) ?? [];
  return path;
}
