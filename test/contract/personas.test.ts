import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPersonas, MAX_PERSONAS, type Personas } from '../../src/core/personas/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('personas of users', (createDatabase) => {
  let database: TestDatabase;
  let personas: Personas;
  let ann: number;
  let bob: number;
  beforeAll(async () => {
    database = await createDatabase();
    personas = createPersonas({ db: database.db });
  });
  beforeEach(async () => {
    const rows = await database.db.insert(users).values([{}, {}]).returning();
    [ann = 0, bob = 0] = rows.map(({ id }) => id);
  });
  afterAll(() => database.close());

  const add = async (userId: number, name: string) => {
    const made = await personas.add(userId, { name, instructions: `Be ${name}.` });
    if (typeof made === 'string') throw new Error(made);
    return made;
  };

  it('are listed by name, separately for each user', async () => {
    await add(ann, 'poet');
    await add(ann, 'Butler');
    await add(bob, 'Poet');
    expect((await personas.list(ann)).map(({ name }) => name)).toEqual(['Butler', 'poet']);
  });

  it('are shared only by their owner, under one key, until sharing ends', async () => {
    const { id } = await add(ann, 'Poet');
    expect(await personas.share(id, { userId: bob })).toBeUndefined();
    const [one, two] = await Promise.all([1, 2].map(() => personas.share(id, { userId: ann })));
    expect(one?.shareKey).toMatch(/^[\w-]{22}$/);
    expect(two).toEqual(one);
    expect(await personas.findShared(one?.shareKey ?? '')).toEqual(one);
    expect(await personas.unshare(id, { userId: bob })).toBeUndefined();
    expect(await personas.unshare(id, { userId: ann })).toMatchObject({ shareKey: undefined });
    expect(await personas.findShared(one?.shareKey ?? '')).toBeUndefined();
    const again = await personas.share(id, { userId: ann });
    expect(again?.shareKey).not.toBe(one?.shareKey);
  });

  it('have unique names, ignoring case', async () => {
    const poet = await add(ann, 'Poet');
    const butler = await add(ann, 'Butler');
    expect(await personas.add(ann, { name: 'POET', instructions: 'x' })).toBe('taken');
    expect(await personas.change(butler.id, { userId: ann }, { name: 'poet' })).toBe('taken');
    expect(await personas.change(poet.id, { userId: ann }, { name: 'POET' })).toMatchObject({ name: 'POET' });
  });

  it('have a maximum number that holds under concurrent requests', async () => {
    for (let number = 1; number < MAX_PERSONAS; number += 1) await add(ann, `p${number}`);
    const last = await Promise.all(['a', 'b', 'c'].map((name) => personas.add(ann, { name, instructions: 'x' })));
    expect(last.filter((one) => one === 'full')).toHaveLength(2);
    expect(await personas.list(ann)).toHaveLength(MAX_PERSONAS);
  });

  it('are changed and deleted only by their owner', async () => {
    const { id } = await add(ann, 'Poet');
    expect(await personas.change(id, { userId: bob }, { name: 'Mine' })).toBe('gone');
    expect(await personas.remove(id, { userId: bob })).toBe(false);
    expect(await personas.change(id, { userId: ann }, { instructions: 'Rhyme\u0000 \\u0000.' })).toMatchObject({
      name: 'Poet',
      instructions: 'Rhyme \\u0000.',
    });
    expect(await personas.find(id)).toMatchObject({ userId: ann, instructions: 'Rhyme \\u0000.' });
    expect(await personas.remove(id, { userId: ann })).toBe(true);
    expect(await personas.find(id)).toBeUndefined();
    expect(await personas.change(id, { userId: ann }, { name: 'x' })).toBe('gone');
  });
});
