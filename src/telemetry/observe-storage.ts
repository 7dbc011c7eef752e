import type { Storage } from '../core/storage/index.ts';
import { watchIteration } from '../lib/async/watch-iteration.ts';
import { noObserver, type Observer } from '../lib/log/observer.ts';

/** Wraps the storage so that each upload and download is a `file transfer` span with the transferred bytes. */
export function observeStorage(storage: Storage, observer: Observer): Storage {
  if (observer === noObserver) return storage;
  const begin = (direction: 'up' | 'down') => {
    const span = observer.begin('file transfer', { direction });
    let bytes = 0;
    const onItem = (part: Buffer) => {
      bytes += part.length;
    };
    const end = (error?: unknown) => {
      span.record({ bytes });
      span.end(error);
    };
    return { span, onItem, end };
  };
  return {
    ...storage,
    async upload(source, order, signal) {
      const { span, onItem, end } = begin('up');
      try {
        const counted = watchIteration(source, { onItem, onEnd: () => {} });
        const file = await span.run(() => storage.upload(counted, order, signal));
        end();
        return file;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async read(id, range, signal, options) {
      const { span, onItem, end } = begin('down');
      try {
        const bytes = await span.run(() => storage.read(id, range, signal, options));
        return watchIteration(bytes, { onItem, onEnd: end });
      } catch (error) {
        end(error);
        throw error;
      }
    },
  };
}
