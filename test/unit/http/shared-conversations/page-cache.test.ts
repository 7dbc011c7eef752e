import { describe, expect, it, vi } from 'vitest';
import { createPageCache, type RenderedPage } from '../../../../src/http/shared-conversations/shared-pages.ts';

const toRendered = (text: string, sizeBytes = text.length): RenderedPage => ({
  body: Buffer.alloc(sizeBytes),
  etag: `"${text}"`,
});

describe('the page cache', () => {
  it('renders a page once for many concurrent requests, some of which are aborted', async () => {
    const cache = createPageCache({ maxBytes: 100 });
    const { promise, resolve } = Promise.withResolvers<RenderedPage>();
    const render = vi.fn(() => promise);
    const asked = [cache.get('slow', render), cache.get('slow', render)];
    for (let n = 0; n < 50; n += 1) await cache.get(`page ${n}`, async () => toRendered('page', 90));
    asked.push(cache.get('slow', render));
    resolve(toRendered('slow'));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    await cache.get('slow', render);
    expect(render).toHaveBeenCalledTimes(1);
  });

  it('evicts the least recently requested pages', async () => {
    const cache = createPageCache({ maxBytes: 100 });
    const render = vi.fn(async () => toRendered('page', 40));
    for (const key of ['a', 'b', 'a', 'c', 'a']) await cache.get(key, render);
    expect(render).toHaveBeenCalledTimes(3);
    await cache.get('b', render);
    expect(render).toHaveBeenCalledTimes(4);
  });

  it('stores no failures and no missing pages', async () => {
    const cache = createPageCache({ maxBytes: 100 });
    for (let n = 0; n < 1000; n += 1) {
      const failure = cache.get('page', async () => Promise.reject(new Error('busy')));
      await expect(failure).rejects.toThrow('busy');
      expect(await cache.get('page', async () => undefined)).toBeUndefined();
    }
    expect(await cache.get('page', async () => toRendered('page'))).toMatchObject({ etag: '"page"' });
  });
});
