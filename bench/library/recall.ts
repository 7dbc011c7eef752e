import { desc, eq, sql } from 'drizzle-orm';
import type { Library } from '../../src/core/library/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { conversations, messages } from '../../src/database/schema/index.ts';
import { shuffled } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import { addMessages, addUser } from './fill-database.ts';
import { indexAll } from './index-all.ts';
import type { TestSet } from './test-sets.ts';

/** Query, and the message that it should find. */
export interface Question {
  readonly query: string;
  readonly messageId: number;
}

/** Share of the questions whose message is among the first results. */
export interface Recall {
  readonly contestant: Contestant['name'];
  readonly of5: number;
  readonly of10: number;
}

export async function measureRecall(
  contestants: readonly Contestant[],
  { userId, questions }: { readonly userId: number; readonly questions: readonly Question[] },
): Promise<readonly Recall[]> {
  const recalls: Recall[] = [];
  for (const { name: contestant, search } of contestants) {
    const ranks: number[] = [];
    for (const { query, messageId } of questions) ranks.push((await search(userId, query)).indexOf(messageId));
    const share = (count: number) => ranks.filter((rank) => rank >= 0 && rank < count).length / questions.length;
    recalls.push({ contestant, of5: share(5), of10: share(10) });
  }
  return recalls;
}

/** Adds the documents of a test set as messages of a new user. */
export async function addTestSet(
  { db, library }: { readonly db: Database; readonly library: Library },
  { documents, queries }: TestSet,
): Promise<{ readonly userId: number; readonly questions: readonly Question[] }> {
  const userId = await addUser(db);
  const added = documents.map(({ text }) => ({ content: text }));
  const ids = await addMessages(db, userId, added);
  const idsByName = new Map(documents.map(({ name }, index) => [name, ids[index] ?? 0]));
  await indexAll(library);
  const questions = queries.map(({ text, answer }) => ({ query: text, messageId: idsByName.get(answer) ?? 0 }));
  return { userId, questions };
}

/** Returns questions that consist of some words of random messages of the user. */
export async function sampleQuestions(
  db: Database,
  userId: number,
  { count, wordCount }: { readonly count: number; readonly wordCount: number },
): Promise<readonly Question[]> {
  const rows = await db
    .select({ id: messages.id, content: messages.content })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(eq(conversations.userId, userId))
    // A random order that is the same in each run.
    .orderBy(desc(sql`md5(${messages.id}::text)`))
    .limit(count);
  return rows.map(({ id, content }) => {
    const words = shuffled([...new Set(content.split(' '))]).slice(0, wordCount);
    return { query: words.join(' '), messageId: id };
  });
}
