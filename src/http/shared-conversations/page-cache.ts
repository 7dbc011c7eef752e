/** A page that is ready to be sent. */
export interface RenderedPage {
  readonly body: Buffer;
  /** A strong entity tag with its quotes. */
  readonly etag: string;
}

/** The newest pages, so that one that many people look at is made once. */
export interface PageCache {
  /** Makes the page where it is not there. What fails is not kept, and neither is that there is none. */
  get(key: string, render: () => Promise<RenderedPage | undefined>): Promise<RenderedPage | undefined>;
}

/** @param maxBytes of all pages together; one that is larger by itself is kept until the next one comes. */
export function createPageCache({ maxBytes }: { readonly maxBytes: number }): PageCache {
  const pages = new Map<string, { readonly page: Promise<RenderedPage | undefined>; sizeBytes: number }>();
  const shrink = () => {
    let total = [...pages.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const [key, { sizeBytes }] of pages) {
      if (total <= maxBytes || pages.size === 1) return;
      pages.delete(key);
      total -= sizeBytes;
    }
  };
  return {
    async get(key, render) {
      const entry = pages.get(key) ?? { page: render(), sizeBytes: 0 };
      // The one that was asked for last goes last.
      pages.delete(key);
      pages.set(key, entry);
      try {
        const page = await entry.page;
        if (!page) pages.delete(key);
        entry.sizeBytes = page?.body.length ?? 0;
        shrink();
        return page;
      } catch (error) {
        if (pages.get(key) === entry) pages.delete(key);
        throw error;
      }
    },
  };
}
