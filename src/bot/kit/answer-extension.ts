import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { BuiltInTool, Tool } from '../../core/tools/index.ts';
import type { AnswerContext } from './answer-context.ts';

/** Additions of a feature to answers in chats of the bot. Answers in inline mode have no extensions. */
export interface AnswerExtension {
  /**
   * Returns the feature's tools for an answer; called when the answer starts. Tools that the operator or the user has
   * switched off are left out later. Default none.
   */
  readonly tools?: (answer: ExtendedAnswer) => readonly FeatureTool[];
  /** Returns an addition to the system prompt, looked up when the answer starts; undefined without one. Default none. */
  readonly instructions?: (answer: ExtendedAnswer) => Promise<PromptAddition | undefined>;
}

/** Tool of a feature. The operator can switch it off by its name. */
export type FeatureTool = Tool & { readonly name: BuiltInTool };

export interface ExtendedAnswer {
  readonly context: AnswerContext;
  readonly question: StoredMessage;
  /** Message of the answer. */
  readonly answerId: number;
  /** Telegram message that the answer replies to. */
  readonly replyToMessageId: number | undefined;
}

export interface PromptAddition {
  readonly text: string;
  /** Kept with the answer. Default none. */
  readonly extras?: MessageExtras;
  /** Another user may have written a part of the text. Default false. */
  readonly hasForeignText?: boolean;
}
