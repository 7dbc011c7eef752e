import { describe, expect, test } from 'vitest';
import { shippedPersonas } from '../../src/bot/choices/personas.ts';
import { findModelByCode, toModelCode } from '../../src/bot/features/models/model-code.ts';
import { START_PAYLOADS } from '../../src/lib/start-link.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createModelEntry, createScriptedModels } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const LONG = `vendor/${'very-'.repeat(15)}long:free`;
const IDS = ['basic', 'openai/gpt-4.1', 'a.b', 'a:b', LONG];

const harness = startBeforeAll(() => createBotHarness({ models: IDS.map((id) => createModelEntry(id)) }));

/** Text that the first copy button of the newest message copies. */
const copied = (chatId: number) =>
  harness.telegram
    .transcript(chatId)
    .at(-1)
    ?.message.reply_markup?.inline_keyboard.flat()
    .flatMap((button) => ('copy_text' in button ? [button.copy_text.text] : []))[0];
const payloadOf = (link: string | undefined) => new URL(link ?? '').searchParams.get('start') ?? '';

test('each model has a unique start payload that Telegram accepts, readable if possible', () => {
  const { catalogue } = createScriptedModels(IDS.map((id) => createModelEntry(id)));
  const codes = IDS.map((id) => toModelCode(catalogue, id) ?? '');
  expect(toModelCode(catalogue, 'unlisted')).toBeUndefined();
  expect(codes.slice(0, 2)).toEqual(['basic', 'openai_gpt-4_1']);
  for (const code of codes) expect(`m_${code}`).toMatch(/^[\w-]{1,64}$/);
  expect(codes.map((code) => findModelByCode(catalogue, code)?.id)).toEqual(IDS);
  // Two models have this code.
  expect(findModelByCode(catalogue, 'a_b')).toBeUndefined();
});

describe('a link to a model', () => {
  test('is in the list of models, and starts a conversation with the model', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    ann.writes('/model openai/gpt-4.1');
    await harness.sees(ann.chatId, 'Now using openai/gpt-4.1.');
    ann.writes('/model');
    await harness.sees(ann.chatId, /^Choose a model/);
    const link = copied(ann.chatId);
    expect(link).toBe('https://t.me/switch_bot?start=m_openai_gpt-4_1');
    bob.writes('Hello');
    await harness.sees(bob.chatId, 'You said: Hello');
    bob.writes(`/start ${payloadOf(link)}`);
    await harness.sees(
      bob.chatId,
      /^New conversation: openai\/gpt-4\.1 answers here\. Your usual model stays the same\./,
    );
    await bob.presses('Plan a weekend in Lisbon');
    await harness.sees(bob.chatId, 'You said: Plan a weekend in Lisbon');
    expect(harness.models.requests.at(-1)).toMatchObject({
      model: 'openai/gpt-4.1',
      messages: [{ role: 'user', content: 'Plan a weekend in Lisbon' }],
    });
  });

  test('applies to its conversation only, until the user chooses a model', async () => {
    const ann = harness.user('Ann');
    const asks = async (text: string) => {
      ann.writes(text);
      await harness.sees(ann.chatId, `You said: ${text}`);
      await harness.settles(ann.chatId);
      return harness.models.requests.at(-1)?.model;
    };
    const comes = async () => {
      ann.writes('/start m_openai_gpt-4_1');
      await harness.sees(ann.chatId, /^New conversation: openai\/gpt-4\.1/);
    };
    const { settings } = await harness.accounts.ensureTelegramUser(ann.id);
    await comes();
    expect(await asks('one')).toBe('openai/gpt-4.1');
    expect((await harness.accounts.ensureTelegramUser(ann.id)).settings).toEqual(settings);
    ann.writes('/model');
    await harness.sees(ann.chatId, 'Choose a model. Now: openai/gpt-4.1');
    ann.writes('/new');
    await harness.sees(ann.chatId, /^New conversation started\./);
    expect(await asks('two')).toBe('basic');
    await comes();
    ann.writes('/model a.b');
    await harness.sees(ann.chatId, 'Now using a.b.');
    expect(await asks('three')).toBe('a.b');
  });

  test('applies to the topic that the first question opens', async () => {
    const topics = await createBotHarness({ models: IDS.map((id) => createModelEntry(id)), privateTopics: true });
    try {
      const ann = topics.user('Ann', 'en', { topics: true });
      ann.writes('/start m_openai_gpt-4_1');
      await topics.sees(ann.chatId, /^New conversation: openai\/gpt-4\.1/);
      ann.writes('Hello');
      await topics.sees(ann.chatId, 'You said: Hello');
      expect(topics.models.requests.at(-1)?.model).toBe('openai/gpt-4.1');
    } finally {
      await topics.close();
    }
  });

  test('to a missing model leads to the list of models', async () => {
    const ann = harness.user('Ann');
    for (const payload of ['m_gone-model', 'm_', 'm_a_b', `m_${'x'.repeat(62)}`]) {
      ann.writes(`/start ${payload}`);
      await harness.sees(ann.chatId, /^This link points to a model that does not exist/);
      await ann.presses('Choose a model');
      await harness.sees(ann.chatId, 'Choose a model. Now: basic');
      await ann.presses('Close');
    }
  });
});

describe('a link to a persona', () => {
  test('is shown for each shipped persona, and starts a conversation with its own example', async () => {
    const [ann, oleg] = [harness.user('Ann'), harness.user('Олег', 'ru')];
    ann.writes('/persona');
    await ann.presses('🍳 Cook');
    await ann.presses('Details');
    await harness.sees(ann.chatId, /^🍳 Cook\n\nRecipes/);
    const link = copied(ann.chatId);
    expect(link).toBe('https://t.me/switch_bot?start=p_cook');
    oleg.writes('Привет');
    await harness.sees(oleg.chatId, 'You said: Привет');
    oleg.writes(`/start ${payloadOf(link)}`);
    await harness.sees(oleg.chatId, /^Новый разговор: здесь отвечает 🍳 Повар\./);
    await oleg.presses('Яйца, рис, полкочана капусты');
    await harness.sees(oleg.chatId, 'You said: Яйца, рис, полкочана капусты');
    const instructions = shippedPersonas.find(({ key }) => key === 'cook')?.instructions;
    expect(harness.models.requests.at(-1)?.messages).toEqual([
      { role: 'system', content: instructions },
      { role: 'user', content: 'Яйца, рис, полкочана капусты' },
    ]);
  });

  test.each(['p_wizard', 'p_own:1', 'p_'])(
    'to a missing persona leads to the list of personas: %s',
    async (payload) => {
      const ann = harness.user('Ann');
      ann.writes(`/start ${payload}`);
      await harness.sees(ann.chatId, /^This link points to a persona that does not exist/);
      await ann.presses('Personas');
      await harness.sees(ann.chatId, 'Who should answer?');
    },
  );
});

describe('a persona of a user', () => {
  const make = async (name: string, personaName: string) => {
    const owner = harness.user(name);
    const { id } = await harness.accounts.ensureTelegramUser(owner.id);
    await harness.personas.add(id, { name: personaName, instructions: `Talk like ${name}.` });
    owner.writes('/persona');
    await owner.presses(`🎭 ${personaName}`);
    await owner.presses('Details');
    await harness.sees(owner.chatId, /Talk like/);
    return owner;
  };

  test('is shared as a copy after a confirmation, until the owner stops sharing', async () => {
    const ann = await make('Ann', 'Pirate');
    const bob = await make('Bob', 'pirate');
    expect(copied(ann.chatId)).toBeUndefined();
    await ann.presses('Share');
    await harness.sees(ann.chatId, /gets a copy of the name and all instructions/);
    await ann.presses('Create link');
    await harness.sees(ann.chatId, /The link: https:\/\/t\.me\/switch_bot\?start=p_[\w-]{22}$/);
    const payload = payloadOf(copied(ann.chatId));
    expect(payload).toHaveLength(24);
    for (let times = 0; times < 2; times += 1) bob.writes(`/start ${payload}`);
    await harness.sees(
      bob.chatId,
      /^New conversation: 🎭 Pirate 2 answers here\. [\s\S]*your own copy[\s\S]*Talk like Ann\.$/,
    );
    bob.writes('Ahoy');
    await harness.sees(bob.chatId, 'You said: Ahoy');
    expect(harness.models.requests.at(-1)?.messages[0]).toEqual({ role: 'system', content: 'Talk like Ann.' });
    const { id } = await harness.accounts.ensureTelegramUser(bob.id);
    expect((await harness.personas.list(id)).map(({ name }) => name)).toEqual(['pirate', 'Pirate 2']);
    ann.writes(`/start ${payload}`);
    await harness.sees(ann.chatId, 'New conversation: 🎭 Pirate answers here.');
    await ann.presses('Stop sharing');
    await harness.sees(ann.chatId, /Sharing stopped\. The link no longer works\.$/);
    const nina = harness.user('Nina');
    nina.writes(`/start ${payload}`);
    await harness.sees(nina.chatId, /^This link points to a persona that does not exist/);
  });
});

test('no link changes the settings of the user who opens it', async () => {
  const ann = harness.user('Ann');
  const owner = harness.user('Owner');
  const { id } = await harness.accounts.ensureTelegramUser(owner.id);
  const persona = await harness.personas.add(id, { name: 'Pirate', instructions: 'Talk like a pirate.' });
  const shared = typeof persona === 'string' ? undefined : await harness.personas.share(persona.id, { userId: id });
  const { settings } = await harness.accounts.ensureTelegramUser(ann.id);
  const payloads = [
    ...Object.values(START_PAYLOADS).flatMap((beginning) => [
      beginning,
      `${beginning}1`,
      `${beginning}${'x'.repeat(22)}`,
    ]),
    ...['m_basic', 'p_cook', `p_${shared?.shareKey}`, 'files', 'anything', '-', 'x'.repeat(64)],
  ];
  for (const payload of payloads) {
    ann.writes(`/start ${payload}`);
    await harness.hasHandledAll();
  }
  expect((await harness.accounts.ensureTelegramUser(ann.id)).settings).toEqual(settings);
});

test('a link opened without access can be opened again after /allow', async () => {
  const closed = await createBotHarness({ allowedIds: [1] });
  const [ann, chief] = [closed.user('Ann'), closed.operator('Chief')];
  ann.writes('/start p_cook');
  const { message } = await closed.sees(ann.chatId, /^This bot is private\./);
  expect(message.reply_markup?.inline_keyboard.flat()).toContainEqual({
    text: 'I have access now: open the link again',
    url: 'https://t.me/switch_bot?start=p_cook',
  });
  chief.writes(`/allow ${ann.id}`);
  await closed.sees(chief.chatId, `Ann (${ann.id}) now has access.`);
  ann.writes('/start p_cook');
  await closed.sees(ann.chatId, /^New conversation: 🍳 Cook answers here\./);
  await closed.close();
});
