import { describe, expect, test } from 'vitest';
import { parseImagine } from '../../src/bot/features/imagine/parse-imagine.ts';

describe('parseImagine', () => {
  test.each([
    ['a red fox in snow', { prompt: 'a red fox in snow' }],
    ['', { prompt: '' }],
    ['  a fox\nin snow ', { prompt: 'a fox\nin snow' }],
    [
      'a red fox --ratio 16:9 --model x --n 4 --seed 7',
      { prompt: 'a red fox', ratio: '16:9', model: 'x', count: 4, seed: 7 },
    ],
    ['--ratio 9:21 a fox', { prompt: 'a fox', ratio: '9:21' }],
    ['a fox --ratio 3:2 in snow', { prompt: 'a fox in snow', ratio: '3:2' }],
    ['a fox --ratio=3:2', { prompt: 'a fox', ratio: '3:2' }],
    ['a fox —ratio 3:2', { prompt: 'a fox', ratio: '3:2' }],
    ['a fox –ratio 3:2', { prompt: 'a fox', ratio: '3:2' }],
    ['a fox --AR 3x2', { prompt: 'a fox', ratio: '3:2' }],
    ['a fox -n 10', { prompt: 'a fox', count: 10 }],
    ['a fox —n 2', { prompt: 'a fox', count: 2 }],
    ['a fox --seed 0', { prompt: 'a fox', seed: 0 }],
    ['a fox --seed=2147483647', { prompt: 'a fox', seed: 2_147_483_647 }],
    ['a fox --n 2 --n 3', { prompt: 'a fox', count: 3 }],
    ['--ratio 1:1', { prompt: '', ratio: '1:1' }],
    ['лиса --model=flux', { prompt: 'лиса', model: 'flux' }],
  ])('parses %j', (text, wish) => {
    expect(parseImagine(text)).toEqual(wish);
  });

  test.each([
    'a well-known fox',
    'a fox — red and quick',
    'a fox -- red',
    'лиса —рыжая',
    'a fox —quick',
    'x - y -m z',
    'a fox –constructor',
  ])('takes %j as prose with its dashes', (text) => {
    expect(parseImagine(text)).toEqual({ prompt: text });
  });

  test.each([
    ['a fox --ratio 17:9', { kind: 'ratio', value: '17:9' }],
    ['a fox --ratio', { kind: 'ratio', value: '' }],
    ['a fox --ratio --n 2', { kind: 'ratio', value: '' }],
    ['a fox --n 0', { kind: 'count', value: '0' }],
    ['a fox --n 11', { kind: 'count', value: '11' }],
    ['a fox --n two', { kind: 'count', value: 'two' }],
    ['a fox --seed -1', { kind: 'seed', value: '-1' }],
    ['a fox --seed 2147483648', { kind: 'seed', value: '2147483648' }],
    ['a fox --seed 1.5', { kind: 'seed', value: '1.5' }],
    ['a fox --model', { kind: 'model', value: '' }],
    ['a fox --style anime', { kind: 'flag', value: '--style' }],
    ['a fox --constructor', { kind: 'flag', value: '--constructor' }],
  ])('rejects %s', (text, problem) => {
    expect(parseImagine(text)).toEqual({ problem });
  });

  test('allows 4000 characters in addition to the flags', () => {
    expect(parseImagine('x'.repeat(4001))).toEqual({ problem: { kind: 'length', length: 4001 } });
    expect(parseImagine(`${'x'.repeat(4000)} --n 2`)).toEqual({ prompt: 'x'.repeat(4000), count: 2 });
  });
});
