/**
 * Measures search in a library of 100 000 messages and 10 000 documents, and what it finds:
 *
 *   npm run bench:library -- [--rounds N] [--messages N] [--documents N] [--scan] [--directory DIR | --database URL]
 *
 * It fills an embedded database in a temporary folder with generated texts, which takes six minutes. With `--directory`,
 * the embedded database is kept there; `--database` is an empty database on a Postgres server. The next run on the same
 * one measures at once. `--scan` measures a search without an index as well, which takes seconds each time. Missed goals are only printed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { count, min, sql } from 'drizzle-orm';
import { createDocumentTexts } from '../../src/core/documents/index.ts';
import { createLibrary, type Library } from '../../src/core/library/index.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../src/database/connect.ts';
import { libraryChunks, users } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createExhaustive, createLibraryContestant, createPeers } from './contestants.ts';
import { addOwner } from './fill-database.ts';
import { createTextGenerator } from './generated-texts.ts';
import { indexAll } from './index-all.ts';
import { measureSearches } from './measure.ts';
import { addTestSet, measureRecall, sampleQuestions } from './recall.ts';
import { recallTable, searchTable } from './report.ts';
import { loadTestSets } from './test-sets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    messages: { type: 'string', default: '100000' },
    documents: { type: 'string', default: '10000' },
    scan: { type: 'boolean', default: false },
    directory: { type: 'string' },
    database: { type: 'string' },
  },
});
/** Owners whose texts are in the same index, each with a fiftieth of them. */
const OTHER_OWNERS = 10;
const WARM_UP_ROUNDS = 5;
const GOAL_MS = { postgres: 100, embedded: 300 };
const SEEDS = { fill: 1, warmUp: 2, searches: 3 };
/** Words of the queries that are cut out of messages. */
const WORD_COUNTS = [2, 4, 8];
const SAMPLED_QUESTIONS = 15;

const temporary = options.directory || options.database ? undefined : await mkdtemp(join(tmpdir(), 'library-bench-'));
const config: DatabaseConfig = options.database
  ? { kind: 'postgres', url: options.database }
  : { kind: 'embedded', directory: options.directory ?? join(temporary ?? '', 'postgres') };
const { db, close } = await openDatabase(config);
try {
  const logger = createLogger({ level: 'warn' });
  const storage = { read: () => Promise.reject(new Error('there are no files')) };
  const library = createLibrary({ db, clock: systemClock, logger, storage, documents: createDocumentTexts() });
  await measureAll(db, library);
} finally {
  await close();
  if (temporary) await rm(temporary, { recursive: true });
}

async function measureAll(db: Database, library: Library): Promise<void> {
  const userId = await ensureOwner(db, library);
  const own = createLibraryContestant(library);
  const contestants = [own, ...createPeers(db)];
  await measureSearches(db, [own], { userId, texts: createTextGenerator(SEEDS.warmUp), rounds: WARM_UP_ROUNDS });
  console.log(`Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n`);
  const texts = createTextGenerator(SEEDS.searches);
  const timed = contestants.filter(({ name }) => name !== 'scan' || options.scan);
  const samples = await measureSearches(db, timed, { userId, texts, rounds: Number(options.rounds) });
  console.log(`${searchTable(samples, GOAL_MS[config.kind])}\n`);
  const ranked = [own, createExhaustive(db)];
  const ofWords = [];
  for (const wordCount of WORD_COUNTS) {
    const questions = await sampleQuestions(db, userId, { count: SAMPLED_QUESTIONS, wordCount });
    const recalls = await measureRecall(ranked, { userId, questions });
    ofWords.push({ name: `${wordCount} words of a message`, count: questions.length, recalls });
  }
  console.log(`${recallTable(ofWords)}\n`);
  const ofSets = [];
  for (const set of await loadTestSets()) {
    const added = await addTestSet({ db, library }, set);
    const recalls = await measureRecall(contestants, added);
    ofSets.push({ name: set.name, count: added.questions.length, recalls });
  }
  console.log(recallTable(ofSets));
}

/** Fills an empty database. @returns the owner of most texts. */
async function ensureOwner(db: Database, library: Library): Promise<number> {
  const [known] = await db.select({ id: min(users.id) }).from(users);
  if (known?.id) return known.id;
  const size = { messages: Number(options.messages), documents: Number(options.documents) };
  const texts = createTextGenerator(SEEDS.fill);
  const userId = await addOwner(db, texts, size);
  const small = { messages: size.messages / 50, documents: size.documents / 50 };
  for (let number = 0; number < OTHER_OWNERS; number++) await addOwner(db, texts, small);
  const beganAt = performance.now();
  const indexed = await indexAll(library);
  const seconds = (performance.now() - beganAt) / 1000;
  await db.execute(sql`vacuum analyze`);
  const [index] = await db
    .select({ chunks: count(), size: sql<string>`pg_size_pretty(pg_total_relation_size('library_chunks'))` })
    .from(libraryChunks);
  console.log(
    `Indexed ${indexed} texts in ${seconds.toFixed(0)} s: ${(indexed / seconds).toFixed(0)} a second, ` +
      `${index?.chunks} chunks, ${index?.size} with indexes\n`,
  );
  return userId;
}
