import type { Place } from '../../../core/conversations/index.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { FileViewer } from '../files/file-view.ts';

/** Files that somebody wants kept: one, or those of an album. */
export interface SaveOrder {
  /** The update that gave it. */
  readonly updateId: number;
  readonly viewer: FileViewer;
  readonly place: Place;
  /** The topic in which "sending a file" is shown: unlike sends it names a forum's General topic. */
  readonly actionTopicId: number | undefined;
  /** Owner keys are shown in private chats only. */
  readonly isPrivate: boolean;
  /** Not empty. */
  readonly files: readonly SentFile[];
  /** The message that is answered. */
  readonly replyTo: number;
  /** A message of the bot's that becomes the answer; undefined sends one. */
  readonly statusMessageId: number | undefined;
}

/** What every message about an order is sent with. */
export function toAnswerOptions({ place, replyTo }: Pick<SaveOrder, 'place' | 'replyTo'>) {
  return {
    ...(place.topicId === undefined ? {} : { message_thread_id: place.topicId }),
    reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
  };
}
