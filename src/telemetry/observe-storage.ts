import type { Storage } from '../core/storage/index.ts';
import { noObserver, type Observer } from '../lib/observer.ts';
import { watchIteration } from '../lib/watch-iteration.ts';

/** Wraps the storage so that each upload and download is a `file transfer` span with the transferred bytes. */
export function observeStorage(storage: Storage, observer: Observer): Storage {
  if (observer === noObserver) return storage;
  const begin = (direction: 'up' | 'down') => {
    const work = observer.begin('file transfer', { direction });
    let bytes = 0;
    const onItem = (part: Buffer) => {
      bytes += part.length;
    };
    const end = (error?: unknown) => {
      work.record({ bytes });
      work.end(error);
    };
    return { work, onItem, end };
  };
  return {
    ...storage,
    async upload(source, order, signal) {
      const { work, onItem, end } = begin('up');
      try {
        const counted = watchIteration(source, { onItem, onEnd: () => {} });
        const file = await work.run(() => storage.upload(counted, order, signal));
        end();
        return file;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async read(id, range, signal, options) {
      const { work, onItem, end } = begin('down');
      try {
        const bytes = await work.run(() => storage.read(id, range, signal, options));
        return watchIteration(bytes, { onItem, onEnd: end });
      } catch (error) {
        end(error);
        throw error;
      }
    },
  };
}
