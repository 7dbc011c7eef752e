import { describe, expect, it } from 'vitest';
import {
  MAX_MEMORIES,
  MAX_MEMORY_CHARACTERS,
  rankMemories,
  selectMemories,
} from '../../../../src/core/memory/index.ts';

const toMemories = (texts: readonly string[]) => texts.map((text, index) => ({ id: index + 1, text }));
const idsOf = (memories: readonly { readonly id: number }[]) => memories.map(({ id }) => id);

describe('selection for a prompt', () => {
  const dog = 'Has a dog called Rex who likes long walks in the rain';
  const many = toMemories([dog, ...Array.from({ length: 40 }, (_, index) => `Fact number ${index} about something`)]);

  it('contains all memories in their order if they fit, whatever the question', () => {
    const shuffled = [...many.slice(20), ...many.slice(0, 20)];
    for (const question of ['', 'Where is my dog?'])
      expect(idsOf(selectMemories(shuffled, { question, maxTokens: 10_000 }))).toEqual(idsOf(many));
  });

  it('prefers the newest, and those that share rare words with the question', () => {
    const options = { maxTokens: 300 };
    const newest = idsOf(selectMemories(many, { ...options, question: 'Hello' }));
    expect(newest).toEqual(idsOf(many.slice(-newest.length)));
    const chosen = idsOf(selectMemories(many, { ...options, question: 'What do dogs, such as my dog, eat?' }));
    expect(chosen[0]).toBe(1);
    expect(chosen.slice(1)).toEqual(idsOf(many.slice(-chosen.length + 1)));
    expect(chosen.length).toBeLessThan(12);
  });

  it('does not depend on the question if no word is shared', () => {
    const select = (question: string) => idsOf(selectMemories(many, { maxTokens: 300, question }));
    expect(select('Good morning!')).toEqual(select('And you?'));
  });

  it('is empty without space', () => {
    expect(selectMemories(many, { question: dog, maxTokens: 5 })).toEqual([]);
  });

  it('takes little time for the largest memory and question', () => {
    const text = 'many different words here '.repeat(20).slice(0, MAX_MEMORY_CHARACTERS);
    const memories = toMemories(Array.from({ length: MAX_MEMORIES }, (_, index) => `${index} ${text}`));
    const begin = process.cpuUsage();
    selectMemories(memories, { question: 'words of a question '.repeat(10_000), maxTokens: 1000 });
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(200);
  });
});

describe('rank', () => {
  it('finds words with other endings, in several languages', () => {
    const memories = toMemories(['Живёт в Москве', 'Has two daughters', 'Likes tea', 'Любит собак и кошек']);
    expect(idsOf(rankMemories(memories, 'Что делать с собакой в Москву?'))).toEqual([1, 4]);
    expect(idsOf(rankMemories(memories, 'a present for my DAUGHTER'))).toEqual([2]);
    expect(rankMemories(memories, 'nothing')).toEqual([]);
  });
});
