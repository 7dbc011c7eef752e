import type { BotDeps } from '../../framework/bot-deps.ts';
import type { FilesServices } from '../files/file-view.ts';

export interface LibraryServices extends FilesServices, Pick<BotDeps, 'library'> {
  readonly findUsername: () => Promise<string>;
}
