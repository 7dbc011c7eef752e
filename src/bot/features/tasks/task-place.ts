import { isGroup, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { ExtendedAnswer } from '../../kit/feature.ts';
import type { TaskPlace } from './schedule.ts';

/** Returns the place of tasks that an answer schedules. */
export function toTaskPlace({ context }: Pick<ExtendedAnswer, 'context'>): TaskPlace {
  const { user, chatTopic, isGroup: isInGroup, texts, language } = context;
  return { user, chatTopic, isGroup: isInGroup, locale: texts.locale, language };
}

/** Returns the place of tasks that a user schedules by a command; undefined if there is no message. */
export function findTaskPlace({ user, msg, locale, from }: BotContext): TaskPlace | undefined {
  if (!msg) return undefined;
  const language = from?.language_code;
  return { user, chatTopic: toChatTopic(msg), isGroup: isGroup(msg.chat), locale, language };
}
