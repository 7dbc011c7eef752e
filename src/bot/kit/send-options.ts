import type { ChatTopic } from '../../core/conversations/index.ts';

/** Returns the options that send a message to a topic. @param replyTo message to reply to, which may be deleted. */
export function toSendOptions({ topicId }: Pick<ChatTopic, 'topicId'>, replyTo?: number) {
  return {
    ...(topicId !== undefined && { message_thread_id: topicId }),
    ...(replyTo !== undefined && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}
