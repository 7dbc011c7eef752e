import type { MessageExtras, Place, StoredMessage } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { Tool } from '../../core/tools/index.ts';
import type { Texts } from '../texts/locales.ts';

/** What a model is asked. */
export interface AnswerOrder {
  /** Message of the answer. */
  readonly answerId: number;
  readonly userId: number;
  /** Where it is asked: chats may have limits of their own. */
  readonly place: Place;
  /** What its admins had chosen when it was asked; undefined outside groups. */
  readonly group: Group | undefined;
  /** The message that is to be answered; all before it in the tree goes along. */
  readonly question: StoredMessage;
  readonly model: ModelEntry;
  /** What there is of the answer, where the model is to go on with it; else empty. */
  readonly prefix: string;
  /** What belongs to that beside the text. */
  readonly prefixExtras: MessageExtras;
  /** What the model thinks is shown. */
  readonly showsReasoning: boolean;
  /** What the model may ask for on the way; asked for when it begins. */
  readonly listTools: () => readonly Tool[];
  /** Whether the user can be asked for permission: there is a message whose buttons they can press. */
  readonly canAsk: boolean;
  /** What the model is told beside the person's own instructions. */
  readonly hint?: string | undefined;
  /** How whoever asks is called, where others are there as well. */
  readonly askerName?: string | undefined;
  /** For what is told beside the answer, and while tools work. */
  readonly texts: Texts;
  /** The Telegram message that the answer replies to. */
  readonly replyToMessageId: number | undefined;
}
