import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { Texts } from '../../texts/locales.ts';
import type { ImagineOptions } from './imagine-options.ts';

/** Job that generates and sends the images of one request. */
export interface ImageJob {
  /** Id in the database. */
  readonly imageJobId: number;
  readonly userId: number;
  readonly chatTopic: ChatTopic;
  readonly texts: Texts;
  /** Topic in which "sending a photo" is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly options: ImagineOptions & { readonly model: string };
  /** Message of the bot to use as the status message; undefined sends a new one. */
  readonly statusMessageId: number | undefined;
}
