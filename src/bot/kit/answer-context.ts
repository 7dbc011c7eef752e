import type { User } from '../../core/accounts/index.ts';
import type { ChatTopic } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { Texts } from '../texts/locales.ts';

/** User who asks, location in Telegram, and model that answers. */
export interface AnswerContext {
  readonly user: User;
  readonly texts: Texts;
  /** Language of the user's app as an IETF tag. Default unknown. */
  readonly language?: string | undefined;
  readonly chatTopic: ChatTopic;
  readonly isGroup: boolean;
  /** In comments each page replies to the previous one. Default false. */
  readonly isInChain?: boolean;
  /** Group with its settings; undefined outside groups. */
  readonly group: Group | undefined;
  /** Name of the user in a group; undefined if it is no longer known. */
  readonly userName?: string | undefined;
  /** Topic in which typing is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly model: ModelEntry;
}
