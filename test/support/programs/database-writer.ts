/**
 * Program that a test kills: inserts messages as fast as possible and prints each one once the database has committed
 * it.
 */
import { createConversations } from '../../../src/core/conversations/index.ts';
import { openDatabase } from '../../../src/database/connect.ts';
import { users } from '../../../src/database/schema/index.ts';

const [config = '', round = ''] = process.argv.slice(2);
const { db } = await openDatabase(JSON.parse(config));
const conversations = createConversations({ db });
const [user] = await db.insert(users).values({}).returning();
const conversation = await conversations.startConversation(
  { chatId: Number(round), topicId: undefined },
  user?.id ?? 0,
);
for (let count = 0; ; count++) {
  const { content } = await conversations.addMessage({
    conversationId: conversation.id,
    parentId: undefined,
    role: 'user',
    content: `${round}.${count}`,
  });
  process.stdout.write(`${content}\n`);
}
