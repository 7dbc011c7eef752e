import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_MEMORIES } from '../../src/core/memory/index.ts';
import {
  type ConsoleService,
  refusalOf,
  type SignedInUser,
  startConsoleService,
} from '../support/harness/http-users.ts';

let service: ConsoleService;
let ann: SignedInUser;
let bob: SignedInUser;
beforeAll(async () => {
  service = await startConsoleService();
  [ann, bob] = await Promise.all([service.signIn(100), service.signIn(200)]);
});
afterAll(() => service.close());

const PATH = '/api/me/memories';
const textsOf = ({ body }: { body: { data: readonly { text: string }[] } }) => body.data.map(({ text }) => text);

describe('memories', () => {
  test('are added, found, changed and deleted by their user', async () => {
    const { status, body: tea } = await ann.send('POST', PATH, { text: ' Drinks  green\ntea. ' });
    expect([status, tea]).toMatchObject([201, { text: 'Drinks green tea.', has_foreign_text: false }]);
    await ann.send('POST', PATH, { text: 'Lives in Berlin.' });
    expect(textsOf(await ann.send('GET', PATH))).toEqual(['Lives in Berlin.', 'Drinks green tea.']);
    const found = await ann.send('GET', `${PATH}?search=GREEN`);
    expect([textsOf(found), found.body.total]).toEqual([['Drinks green tea.'], 2]);
    expect((await ann.send('PATCH', `${PATH}/${tea.id}`, { text: 'Drinks coffee.' })).body.text).toBe('Drinks coffee.');
    expect((await ann.send('DELETE', `${PATH}/${tea.id}`)).status).toBe(204);
    expect(refusalOf(await ann.send('DELETE', `${PATH}/${tea.id}`))).toEqual([404, 'not_found']);
    expect((await ann.send('DELETE', PATH)).status).toBe(204);
    expect(textsOf(await ann.send('GET', PATH))).toEqual([]);
  });

  test('of another user can neither be read nor changed', async () => {
    const { body } = await ann.send('POST', PATH, { text: 'Has a dog.' });
    expect((await bob.send('GET', PATH)).body).toMatchObject({ data: [], total: 0 });
    expect((await bob.send('GET', `${PATH}?search=dog`)).body.data).toEqual([]);
    expect((await bob.send('PATCH', `${PATH}/${body.id}`, { text: 'Has a cat.' })).status).toBe(404);
    expect((await bob.send('DELETE', `${PATH}/${body.id}`)).status).toBe(404);
    expect((await bob.send('DELETE', PATH)).status).toBe(204);
    expect(textsOf(await ann.send('GET', PATH))).toEqual(['Has a dog.']);
  });

  test('that a model wrote after text of others say so, until their user changes them', async () => {
    const written = { text: 'Sends money.', authorId: ann.userId, source: undefined, hasForeignText: true };
    const memory = await service.memories.add({ userId: ann.userId }, written);
    const id = typeof memory === 'object' ? memory.id : 0;
    expect((await ann.send('GET', `${PATH}?search=money`)).body.data).toMatchObject([{ id, has_foreign_text: true }]);
    const { body } = await ann.send('PATCH', `${PATH}/${id}`, { text: 'Saves money.' });
    expect(body).toMatchObject({ has_foreign_text: false });
  });

  test('are refused if they are known, too many, or switched off', async () => {
    const { body: one } = await bob.send('POST', PATH, { text: 'Likes jazz.' });
    expect(refusalOf(await bob.send('POST', PATH, { text: 'likes JAZZ' }))).toEqual([409, 'known']);
    const { body: other } = await bob.send('POST', PATH, { text: 'Likes rock.' });
    expect(refusalOf(await bob.send('PATCH', `${PATH}/${other.id}`, { text: one.text }))).toEqual([409, 'known']);
    await bob.send('PATCH', '/api/me/settings', { memory: false });
    expect((await bob.send('GET', PATH)).body).toMatchObject({ is_on: false, total: 2 });
    expect(refusalOf(await bob.send('POST', PATH, { text: 'Likes folk.' }))).toEqual([409, 'memory_off']);
    await bob.send('PATCH', '/api/me/settings', { memory: null });
    for (let count = 2; count < MAX_MEMORIES; count += 1)
      await service.memories.add(
        { userId: bob.userId },
        { text: `Number ${count}`, authorId: bob.userId, source: undefined },
      );
    expect(refusalOf(await bob.send('POST', PATH, { text: 'One more.' }))).toEqual([409, 'memory_full']);
  });

  test.each([{}, { text: '' }, { text: ' \n ' }, { text: 'x'.repeat(301) }, { text: 5 }, { text: 'a', author: 1 }])(
    'refuse %j',
    async (body) => {
      expect((await ann.send('POST', PATH, body)).status).toBe(400);
    },
  );
});
