import { LRUCache } from 'lru-cache';

/** A rendered page. */
export interface RenderedPage {
  readonly body: Buffer;
  /** A strong entity tag with its quotes. */
  readonly etag: string;
}

/** LRU cache of rendered pages. */
export type PageCache = ReturnType<typeof createPageCache>;

/** @param maxBytes size of all pages together; a larger page is not cached. */
export function createPageCache({ maxBytes }: { readonly maxBytes: number }) {
  const pages = new LRUCache<string, RenderedPage>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => Math.max(1, body.length),
  });
  const rendering = new Map<string, Promise<RenderedPage | undefined>>();

  const renderAndKeep = async (key: string, render: () => Promise<RenderedPage | undefined>) => {
    try {
      const page = await render();
      if (page) pages.set(key, page);
      return page;
    } finally {
      rendering.delete(key);
    }
  };

  return {
    /**
     * Returns the cached page or renders it. Concurrent requests share one rendering. Errors and missing pages are not
     * cached.
     */
    async get(key: string, render: () => Promise<RenderedPage | undefined>): Promise<RenderedPage | undefined> {
      const kept = pages.get(key);
      if (kept) return kept;
      const page = rendering.get(key) ?? renderAndKeep(key, render);
      rendering.set(key, page);
      return page;
    },
  };
}
