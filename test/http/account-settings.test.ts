import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL } from '../support/harness/http.ts';
import { type ConsoleService, type SignedInUser, startConsoleService } from '../support/harness/http-users.ts';

let service: ConsoleService;
let ann: SignedInUser;
let bob: SignedInUser;
beforeAll(async () => {
  service = await startConsoleService({ otherModels: [{ id: 'fake-images', type: 'image' }] });
  [ann, bob] = await Promise.all([service.signIn(100), service.signIn(200)]);
});
afterAll(() => service.close());

const PATH = '/api/me/settings';
const DEFAULTS = {
  language: null,
  time_zone: null,
  model: null,
  image_model: null,
  system_prompt: null,
  has_persona: false,
  creativity: null,
  answer_length: null,
  streaming: 'edits',
  voice_replies: null,
  shows_reasoning: true,
  rich_messages: true,
  feedback_buttons: true,
  tools: true,
  memory: true,
};
const CHANGES = {
  language: 'ru',
  time_zone: 'Europe/Berlin',
  model: MODEL,
  image_model: 'fake-images',
  system_prompt: 'Answer briefly.',
  creativity: 'creative',
  answer_length: 'short',
  streaming: 'whole',
  voice_replies: 'always',
  shows_reasoning: false,
  rich_messages: false,
  feedback_buttons: false,
  tools: false,
  memory: false,
};

describe('settings', () => {
  test('tell the time zone that is guessed, which tasks have until another is chosen', async () => {
    const cid = await service.signIn(300);
    expect((await cid.send('GET', PATH)).body).toMatchObject({
      guessed_time_zone: 'UTC',
      settings: { time_zone: null },
    });
    await service.accounts.updateSettings(cid.userId, { guessedTimeZone: 'Europe/Moscow' });
    expect((await cid.send('GET', PATH)).body).toMatchObject({ guessed_time_zone: 'Europe/Moscow' });
    const task = {
      kind: 'question',
      prompt: 'News?',
      quietWhenNothingNew: false,
      topicId: undefined,
      language: 'ru',
    } as const;
    const times = {
      kind: 'repeated',
      rule: 'FREQ=DAILY',
      startsAt: '2030-01-01T08:00',
      timeZone: 'Europe/Moscow',
    } as const;
    await service.tasks.create({ userId: cid.userId }, { ...task, times, hasForeignText: false });
    await cid.send('PATCH', PATH, { time_zone: 'Asia/Tokyo' });
    const { tasks } = await service.tasks.list({ userId: cid.userId }, { offset: 0, limit: 1 });
    expect(tasks[0]?.times).toMatchObject({ startsAt: '2030-01-01T08:00', timeZone: 'Asia/Tokyo' });
  });

  test('are changed by their user, and reset by null', async () => {
    expect((await ann.send('GET', PATH)).body.settings).toEqual(DEFAULTS);
    const changed = await ann.send('PATCH', PATH, CHANGES);
    expect([changed.status, changed.body]).toEqual([200, { ...DEFAULTS, ...CHANGES }]);
    expect((await ann.send('GET', '/api/me')).body).toMatchObject({ language: 'ru', time_zone: 'Europe/Berlin' });
    expect((await bob.send('GET', PATH)).body.settings).toEqual(DEFAULTS);
    const nothing = Object.fromEntries(Object.keys(CHANGES).map((field) => [field, null]));
    expect((await ann.send('PATCH', PATH, nothing)).body).toEqual(DEFAULTS);
    expect((await service.accounts.findUser(ann.userId))?.settings).toEqual({});
  });

  test('that are not sent stay', async () => {
    await bob.send('PATCH', PATH, { creativity: 'precise' });
    await bob.send('PATCH', PATH, { tools: false });
    expect((await bob.send('PATCH', PATH, {})).body).toMatchObject({ creativity: 'precise', tools: false });
  });

  test('come with the models that can be chosen', async () => {
    const { body } = await ann.send('GET', PATH);
    expect(body.models).toContainEqual({ id: MODEL, name: 'Fake Model' });
    expect(body.image_models).toEqual([{ id: 'fake-images', name: null }]);
    expect(body).toMatchObject({ default_model: MODEL, default_image_model: 'fake-images', has_voice: false });
  });

  test('have instructions either of the user or of a persona', async () => {
    await service.accounts.updateSettings(ann.userId, { persona: 'teacher' });
    expect((await ann.send('GET', PATH)).body.settings).toMatchObject({ system_prompt: null, has_persona: true });
    const { body } = await ann.send('PATCH', PATH, { system_prompt: '  Be kind.  ' });
    expect(body).toMatchObject({ system_prompt: 'Be kind.', has_persona: false });
    expect((await ann.send('PATCH', PATH, { system_prompt: '  ' })).body.system_prompt).toBeNull();
    expect((await service.accounts.findUser(ann.userId))?.settings.persona).toBeUndefined();
  });

  test.each([
    ['language', 'русский'],
    ['time_zone', 'Mars/Olympus'],
    ['time_zone', '+02:00'],
    ['model', 'no-such-model'],
    ['model', 'fake-images'],
    ['image_model', MODEL],
    ['system_prompt', 'x'.repeat(4001)],
    ['system_prompt', 'a\u0000b'],
    ['creativity', 'wild'],
    ['streaming', 'never'],
    ['tools', 'yes'],
    ['plan', 'admin'],
  ])('refuse %s %j', async (field, value) => {
    const { status, body } = await ann.send('PATCH', PATH, { [field]: value });
    expect([status, body.error.param]).toEqual([400, field]);
  });

  test('with a new time zone move the repeated tasks, which keep their local time', async () => {
    const owner = { userId: bob.userId, groupId: undefined };
    await bob.send('PATCH', PATH, { time_zone: 'Europe/Berlin' });
    const times = {
      kind: 'repeated',
      rule: 'FREQ=DAILY',
      startsAt: '2026-01-01T08:00',
      timeZone: 'Europe/Berlin',
    } as const;
    const content = { kind: 'reminder', prompt: 'Tea', times, quietWhenNothingNew: false } as const;
    await service.tasks.create(owner, content);
    await bob.send('PATCH', PATH, { time_zone: 'Asia/Tokyo' });
    const { tasks } = await service.tasks.list(owner, { offset: 0, limit: 10 });
    expect(tasks).toMatchObject([{ times: { timeZone: 'Asia/Tokyo', startsAt: '2026-01-01T08:00' } }]);
  });
});
