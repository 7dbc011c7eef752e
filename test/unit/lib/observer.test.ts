import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createObserver,
  joinObservers,
  noObserver,
  observe,
  type SpanAttributes,
} from '../../../src/lib/log/observer.ts';

interface Seen {
  readonly name: string;
  readonly parent: string | undefined;
  facts?: SpanAttributes;
  error?: unknown;
}

function createRecording() {
  const seen: Seen[] = [];
  const told: string[] = [];
  const observer = createObserver<Seen>({
    onBegin(name, _facts, parent) {
      const one: Seen = { name, parent: parent?.name };
      seen.push(one);
      return one;
    },
    onEnd: (token, _name, facts, error) => void Object.assign(token, { facts, error }),
    onEvent: (name) => void told.push(name),
  });
  return { observer, seen, told };
}

describe('an observer', () => {
  it('gets the parent of each span, also when spans overlap', async () => {
    const { observer, seen } = createRecording();
    const request = (name: string) =>
      observe(observer, name, {}, async () => {
        await delay(1);
        await observe(observer, `${name} part`, {}, async () => delay(1));
      });
    await Promise.all([request('a'), request('b')]);
    expect(seen.map(({ name, parent }) => [name, parent])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['a part', 'a'],
      ['b part', 'b'],
    ]);
  });

  it('gets all events of a span, and its end once', () => {
    const { observer, seen } = createRecording();
    const span = observer.begin('work', { a: 1, b: 1 });
    span.record({ b: 2 });
    span.end();
    span.record({ c: 3 });
    span.end(new Error('too late'));
    expect(seen).toEqual([{ name: 'work', parent: undefined, facts: { a: 1, b: 2 }, error: undefined }]);
  });

  it('gets failures, which are rethrown unchanged', async () => {
    const { observer, seen } = createRecording();
    const failure = new Error('no');
    await expect(observe(observer, 'work', {}, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(seen[0]?.error).toBe(failure);
  });

  it('may be absent, or be several', async () => {
    const [first, second] = [createRecording(), createRecording()];
    const joined = joinObservers([first.observer, second.observer]);
    await observe(joined, 'outer', {}, () => observe(joined, 'inner', {}, async () => {}));
    joined.emit('news', {});
    for (const { seen, told } of [first, second]) {
      expect(seen.map(({ name, parent }) => [name, parent])).toEqual([
        ['outer', undefined],
        ['inner', 'outer'],
      ]);
      expect(told).toEqual(['news']);
    }
    expect(joinObservers([])).toBe(noObserver);
    expect(await observe(noObserver, 'work', {}, async () => 7)).toBe(7);
  });
});
