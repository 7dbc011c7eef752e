import type { Conversations } from '../../src/core/conversations/index.ts';

/** Stores a conversation with one question and its answer. */
export async function talk(
  conversations: Conversations,
  talked: { readonly userId: number; readonly chatId: number; readonly question: string; readonly answer?: string },
) {
  const { userId, chatId, question, answer = `Re: ${question}` } = talked;
  const { id } = await conversations.startConversation({ chatId, topicId: undefined }, userId);
  const asked = await conversations.addMessage({
    ...{ conversationId: id, parentId: undefined, role: 'user', content: question, userId },
  });
  const answered = await conversations.addMessage({
    ...{ conversationId: id, parentId: asked.id, role: 'assistant', content: answer },
    ...{ model: 'fake-model', finishReason: 'stop' },
  });
  await conversations.settleMessage(answered.id);
  return { id, askedId: asked.id, answeredId: answered.id };
}
