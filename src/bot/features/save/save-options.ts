import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { FileViewer } from '../files/views.ts';

/** Request to save files: one, or those of an album. */
export interface SaveOptions {
  /** Update that contains the request. */
  readonly updateId: number;
  readonly viewer: FileViewer;
  readonly chatTopic: ChatTopic;
  /** Topic in which "sending a file" is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  /** Owner keys are shown in private chats only. */
  readonly isPrivate: boolean;
  /** Not empty. */
  readonly files: readonly SentFile[];
  /** Message that the answer replies to. */
  readonly replyTo: number;
  /** Message of the bot that becomes the answer; undefined sends a new one. */
  readonly statusMessageId: number | undefined;
}
