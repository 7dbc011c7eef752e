import type { MessageEntity } from 'grammy/types';
import { markPieces } from '../../framework/view.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { Texts } from '../../texts/locales.ts';
import { toShownName } from '../files/shown-name.ts';
import type { SaveProgress } from './save-file.ts';

interface FileProgress {
  /** Files of the person's own that are before it; undefined once its turn has come. */
  ahead: number | undefined;
  loadedBytes: number;
}

/** How the saving of some files goes, in words. */
export function createSaveProgress(texts: Texts, files: readonly SentFile[]) {
  const states = files.map((): FileProgress => ({ ahead: 0, loadedBytes: 0 }));
  const totalBytes = files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  const [only] = files;
  const name = files.length === 1 && only ? toShownName(only.name) : undefined;

  const toText = () => {
    const subject = name ?? texts.files.several(files.length);
    const [first] = states;
    if (states.every(({ ahead }) => ahead !== undefined)) return texts.files.waiting(subject, first?.ahead ?? 0);
    const loadedBytes = states.reduce((sum, state) => sum + state.loadedBytes, 0);
    // The last of what was loaded is still on its way to the store.
    const percent = Math.min(99, Math.floor((loadedBytes / totalBytes) * 100));
    const { size } = texts.files;
    const course = totalBytes === 0 ? size(loadedBytes) : `${percent}% · ${size(loadedBytes)} / ${size(totalBytes)}`;
    return texts.files.saving(subject, course);
  };

  return {
    /** What hears of one of the files, by its place in the list. */
    of(index: number): SaveProgress {
      const state = states[index] ?? { ahead: undefined, loadedBytes: 0 };
      return {
        onWaiting(ahead) {
          state.ahead = ahead;
        },
        onStart() {
          state.ahead = undefined;
        },
        onBytes(sizeBytes) {
          state.loadedBytes = sizeBytes;
        },
      };
    },
    toView(): { readonly text: string; readonly entities: readonly MessageEntity[] } {
      const text = toText();
      return { text, entities: markPieces(text, 'code', name ?? '') };
    },
  };
}
