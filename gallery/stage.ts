import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { ChatMessage, NewFile } from 'telegram-bot-simulator';
import { startTestSimulator, type TestSimulator } from '../simulator/test/support/simulator.ts';
import {
  createWorkFolder,
  eventually,
  type RunningService,
  type Settings,
  startService,
} from '../test/support/harness/process.ts';
import { answerJson, startFakeSearchServer } from '../test/support/hosts/fake-search-server.ts';
import { startScriptedProvider } from './scripted-provider.ts';

/** User with a Telegram app, in one chat with the bot. */
export interface Player {
  readonly chatId: number;
  /** Address of the page that shows the chat. */
  readonly address: string;
  writes(text: string, more?: { readonly replyTo?: number }): number;
  sends(file: Omit<NewFile, 'from'>): void;
  /** Presses the newest button whose label begins with this text. */
  presses(label: string): Promise<void>;
  /** Waits for a message of the bot that contains this. @returns its text */
  sees(text: string | RegExp): Promise<string>;
  /** Waits for a finished answer that contains this. */
  isAnswered(text: string | RegExp): Promise<void>;
  /** Waits for a voice message of the bot. */
  hears(): Promise<void>;
  /** Types `@bot question` and sends the first result. */
  asksInline(question: string): Promise<void>;
}

/** A bot of its own that becomes private. */
export type Family = Awaited<ReturnType<typeof startFamily>>;

/** Complete service between a simulated Telegram and a scripted provider, with users. */
export interface Stage {
  readonly service: RunningService;
  readonly telegram: TestSimulator;
  /** Creates a user in a private chat. */
  person(name: string, languageCode?: string): Player;
  /** Returns the admin. */
  operator(): Player;
  /** Creates users in a group, with the bot unless `isBotThere` is false. */
  group(title: string, names: readonly string[], more?: { readonly isBotThere?: boolean }): Player[];
  /** Starts a bot without settings, once, whose first user has opened the link on the terminal. */
  family(): Promise<Family>;
  /** Starts a service without a bot, once. @returns its URL */
  playground(): Promise<string>;
  /** Waits until the library finds everything. */
  isIndexed(): Promise<void>;
  close(): Promise<void>;
}

const PROVIDERS = (baseUrl: string) => `
providers:
  - name: gallery
    base_url: ${baseUrl}
    api_keys: [sk-gallery]
    transcription_model: listener
    speech_model: speaker
    models:
      - { id: aurora, type: chat, images: true, context_length: 128000, price: { input: 1, output: 4 } }
      - { id: swift, type: chat, images: true, context_length: 32000, price: { input: 0.1, output: 0.4 } }
      - { id: canvas, type: image, images: true, price: { image: 0.02 } }
default_model: aurora
default_image_model: canvas
`;

/** Results of every web search. */
const FOUND = [
  {
    url: 'https://aurora.example.org/tromso',
    title: 'Aurora forecast for Tromsø',
    content: 'Tonight: Kp 5, clear sky.',
  },
  { url: 'https://weather.example.net/norway', title: 'Cloud cover in Northern Norway', content: 'Clear until 2:00.' },
  { url: 'https://space.example.com/kp', title: 'Planetary K index, last three days', content: 'Kp 4 to 6.' },
];

const METRICS_TOKEN = 'token-of-the-gallery';
const OPERATOR_ID = 4242;
const PATIENCE_MS = 30_000;

/** Starts everything, which takes some seconds. */
export async function startStage(): Promise<Stage> {
  const folder = await createWorkFolder();
  const provider = await startScriptedProvider();
  const search = await startFakeSearchServer();
  search.answers(answerJson({ results: FOUND }));
  const bots = [
    {
      token: '7000001:gallery-token-of-a-simulated-bot',
      username: 'switchboard_bot',
      firstName: 'Switchboard',
      inlineMode: true,
    },
  ];
  const telegram = await startTestSimulator({ bots, firstNumber: OPERATOR_ID });
  const { control } = telegram;
  const admin = control.createPerson({ firstName: 'Olga', languageCode: 'en' });
  const settingsFile = join(folder.path, 'providers.yaml');
  await mkdir(folder.path, { recursive: true });
  await writeFile(settingsFile, PROVIDERS(provider.baseUrl));
  const service = await startService(folder.path, {
    BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    PROVIDERS_FILE: settingsFile,
    SEARXNG_URL: search.baseUrl,
    CLOUD_URL: 'https://files.example.org',
    ADMIN_IDS: String(admin.id),
    MODEL_TITLES: 'false',
    STORE_NAMES: 'true',
    METRICS_TOKEN,
  });
  await service.isReady();
  let playground: ReturnType<typeof startAlone> | undefined;
  let family: ReturnType<typeof startFamily> | undefined;
  const play = (from: number, chatId: number) => createPlayer(telegram, from, chatId);
  const openChat = (userId: number) => play(userId, control.createChat({ type: 'private', memberIds: [userId] }).id);
  return {
    service,
    telegram,
    person: (firstName, languageCode = 'en') => openChat(control.createPerson({ firstName, languageCode }).id),
    operator: () => openChat(admin.id),
    async family() {
      family ??= startFamily(settingsFile);
      return await family;
    },
    async playground() {
      playground ??= startAlone({ DEMO: 'true' });
      return (await playground).service.url;
    },
    async isIndexed() {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      await eventually(async () => {
        const metrics = await (await service.get('/metrics', { headers })).text();
        return /^switchboard_library_texts_waiting 0$/m.test(metrics) || undefined;
      });
    },
    group(title, names, { isBotThere = true } = {}) {
      const users = names.map((firstName) => control.createPerson({ firstName, languageCode: 'en' }));
      const memberIds = users.map((person) => person.id);
      const { id } = control.createChat({
        type: 'supergroup',
        title,
        memberIds,
        botStatus: isBotThere ? 'member' : 'left',
      });
      return users.map((person) => play(person.id, id));
    },
    async close() {
      await Promise.all([service.kill(), playground?.then(({ stop }) => stop()), family?.then(({ stop }) => stop())]);
      await provider.close();
      await search.close();
      await telegram.close();
      await folder.remove();
    },
  };
}

async function startFamily(settingsFile: string) {
  const bots = [
    { token: '7000002:gallery-token-of-a-family-bot-here', username: 'family_bot', firstName: 'Family bot' },
  ];
  const telegram = await startTestSimulator({ bots, firstNumber: OPERATOR_ID });
  const { control } = telegram;
  const { service, stop } = await startAlone({
    BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    PROVIDERS_FILE: settingsFile,
    STORE_NAMES: 'true',
  });
  const person = (firstName: string) => {
    const { id } = control.createPerson({ firstName, languageCode: 'en' });
    return { id, player: createPlayer(telegram, id, control.createChat({ type: 'private', memberIds: [id] }).id) };
  };
  const olga = person('Olga');
  const founder = olga.player;
  const payload = await eventually(() => /t\.me\/family_bot\?start=(a_[\w-]{43})\s/.exec(service.output())?.[1]);
  founder.writes(`/start ${payload}`);
  await founder.sees('Who may use me?');
  let closing: Promise<void> | undefined;
  return {
    /** URL of the service. */
    url: service.url,
    /** The first user, who is the admin. */
    founder,
    /** Creates a user in a private chat. */
    person: (name: string) => person(name).player,
    /** Creates a group with the founder and the bot. */
    group(title: string) {
      const { id } = control.createChat({ type: 'supergroup', title, memberIds: [olga.id], botStatus: 'member' });
      return createPlayer(telegram, olga.id, id);
    },
    /** Lets the founder close the bot, once. */
    close() {
      closing ??= founder
        .presses('Only people I let in')
        .then(async () => void (await founder.sees('Only people you let in')));
      return closing;
    },
    async stop() {
      await stop();
      await telegram.close();
    },
  };
}

/** Starts a service in a folder of its own. */
async function startAlone(settings: Settings) {
  const folder = await createWorkFolder();
  const service = await startService(folder.path, settings);
  await service.isReady();
  return {
    service,
    async stop() {
      await service.kill();
      await folder.remove();
    },
  };
}

function createPlayer({ control, url }: TestSimulator, from: number, chatId: number): Player {
  const ofBot = (): ChatMessage[] =>
    control.transcript(chatId).filter(({ message }) => message.from?.is_bot || message.via_bot);
  const find = (text: string | RegExp) => {
    const wordsOf = ({ message }: ChatMessage) =>
      message.text ?? message.caption ?? (message.rich_message ? JSON.stringify(message.rich_message) : '');
    return ofBot()
      .map(wordsOf)
      .findLast((words) => (typeof text === 'string' ? words.includes(text) : text.test(words)));
  };
  const buttons = () =>
    ofBot().flatMap(({ message }) =>
      (message.reply_markup?.inline_keyboard.flat() ?? []).flatMap((button) =>
        'callback_data' in button
          ? [{ messageId: message.message_id, label: button.text, data: button.callback_data }]
          : [],
      ),
    );
  return {
    chatId,
    address: `${url}/playground#${chatId}`,
    writes: (text, more = {}) => control.sendMessage(chatId, { text, from, ...more }).message.message_id,
    sends: (file) => void control.sendFile(chatId, { ...file, from }),
    async presses(label) {
      const { messageId, data } = await eventually(() =>
        buttons().findLast((button) => button.label.startsWith(label)),
      );
      control.pressButton(chatId, messageId, { from, data });
    },
    sees: (text) => control.waitFor(() => find(text), PATIENCE_MS),
    async isAnswered(text) {
      await control.waitFor(() => find(text), PATIENCE_MS);
      await control.waitFor(() => !buttons().some(({ label }) => label === 'Stop'), PATIENCE_MS);
    },
    async hears() {
      await control.waitFor(() => ofBot().find(({ message }) => message.voice ?? message.audio), PATIENCE_MS);
    },
    async asksInline(question) {
      const offered = new Set<string>();
      const stop = control.subscribe((event) => {
        if (event.type === 'inline-answer') offered.add(event.inlineQueryId);
      });
      const { inlineQueryId } = control.askInline({ from, query: question });
      await control.waitFor(() => offered.has(inlineQueryId), PATIENCE_MS).finally(stop);
      control.chooseInlineResult({ inlineQueryId, resultId: 'ask', chatId });
    },
  };
}

/** Takes a screenshot of a chat as on a phone, or of a page of the service. */
export async function takePicture(
  browser: Browser,
  url: string,
  options: {
    isDark?: boolean;
    width?: number;
    height?: number;
    typed?: string | undefined;
    shows?: string | undefined;
    presses?: string | undefined;
  },
): Promise<Buffer> {
  const { isDark = false, width = 430, height = 800, typed, shows, presses } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: width > 600 ? 1 : 1.25,
    colorScheme: isDark ? 'dark' : 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForLoadState('load');
    await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => {})))');
    if (shows !== undefined) await page.getByText(shows).first().waitFor({ timeout: PATIENCE_MS });
    if (presses !== undefined) await page.getByRole('button', { name: presses, exact: true }).click();
    if (typed !== undefined) await page.getByRole('textbox').pressSequentially(typed);
    await page.waitForTimeout(SETTLING_MS);
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

/** Time for the page to render new messages. */
const SETTLING_MS = 1200;
