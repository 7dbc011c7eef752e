import type { Page } from '../../page.ts';
import { FilesView } from './files-view.tsx';

/** The user's stored files and shared conversations. */
export const filesPage: Page = {
  name: 'files',
  title: { en: 'Files', ru: 'Файлы' },
  icon: 'file',
  isForAdmins: false,
  View: FilesView,
};
