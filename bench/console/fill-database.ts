import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/connect.ts';

/** Number of rows of each kind. */
export interface DataSize {
  readonly users: number;
  readonly usageRows: number;
  readonly files: number;
  readonly conversations: number;
  /** Messages of the owner's longest conversation. */
  readonly longestConversation: number;
  readonly memories: number;
  readonly tasks: number;
  readonly broadcasts: number;
  readonly auditRows: number;
}

/** Usage rows that one statement adds. */
const ROWS_AT_ONCE = 50_000;
const DAYS = 365;
const MODELS = 30;
const MESSAGES_OF_CONVERSATION = 6;
const RUNS_OF_TASK = 100;

/**
 * Adds users with a key and a budget each, their usage over a year, and the data of one of them: a hundredth of all
 * usage, and all files, conversations, notes and tasks.
 */
export async function fillDatabase(db: Database, ownerId: number, size: DataSize): Promise<void> {
  await db.execute(sql`
    insert into users (telegram_id, plan)
    select 5000000 + n, case when n % 10 = 0 then 'trusted' end from generate_series(1, ${size.users}::int) as n`);
  await db.execute(sql`
    insert into api_keys (user_id, hash, prefix, label)
    select id, encode(sha256(id::text::bytea), 'hex'), 'sk-sb-' || id, 'key ' || id from users`);
  await db.execute(sql`
    insert into budgets (scope, usd_per_month, updated_at)
    select 'user:' || id, 20, now() - id * interval '1 second' from users`);
  await db.execute(sql`
    insert into limit_counters (scope, minute_began_at, day, day_tokens, day_usd, month, month_usd, total_usd)
    select 'user:' || id, now(), current_date, 1000, 0.01, date_trunc('month', current_date), 0.5, 4 from users`);
  for (let first = 0; first < size.usageRows; first += ROWS_AT_ONCE)
    await addUsage(db, ownerId, { first, count: Math.min(ROWS_AT_ONCE, size.usageRows - first), of: size });
  await addAuditLog(db, size.auditRows);
  await addFiles(db, ownerId, size.files);
  await addConversations(db, ownerId, size);
  await addNotesAndTasks(db, ownerId, size);
  await addBroadcasts(db, size.broadcasts);
  await db.execute(sql`vacuum analyze`);
}

interface UsagePart {
  readonly first: number;
  readonly count: number;
  readonly of: DataSize;
}

/** Adds rows from old to new, as the service records them. */
async function addUsage(db: Database, ownerId: number, { first, count, of }: UsagePart): Promise<void> {
  await db.execute(sql`
    insert into usage (id, user_id, key_id, kind, model, provider, prompt_tokens, completion_tokens, cost_usd,
      is_estimated, finish_reason, duration_ms, created_at)
    select gen_random_uuid(),
      case when n % 100 = 0 then ${ownerId}::int else 1 + floor(random() * ${of.users}::int)::int end,
      1 + floor(random() * ${of.users}::int)::int,
      case when n % 20 = 0 then 'image' else 'chat' end,
      'model-' || floor(${MODELS} * random() * random())::int,
      'provider-' || n % 5,
      500, 200, 0.0012, false, 'stop', 900,
      now() - (${of.usageRows}::int - n) * (${DAYS} * interval '1 day' / ${of.usageRows}::int)
    from generate_series(${first + 1}::int, ${first + count}::int) as n`);
}

async function addAuditLog(db: Database, count: number): Promise<void> {
  await db.execute(sql`
    insert into admin_actions (admin_telegram_id, action, subject, reason, created_at)
    select 1, 'plan', (5000000 + n)::text, '', now() - n * interval '1 hour' from generate_series(1, ${count}::int) as n`);
}

async function addFiles(db: Database, ownerId: number, count: number): Promise<void> {
  await db.execute(sql`
    insert into files (id, owner_key_hash, user_id, name, media_type, state, size_bytes, created_at)
    select 'file-' || n, encode(sha256(n::text::bytea), 'hex'), ${ownerId}::int, 'report ' || n || '.pdf',
      'application/pdf', 'ready', 100000, now() - n * interval '1 hour'
    from generate_series(1, ${count}::int) as n`);
}

/** Adds conversations in the user's private chat, whose messages are shown there. The last one is the longest. */
async function addConversations(db: Database, ownerId: number, size: DataSize): Promise<void> {
  await db.execute(sql`
    insert into conversations (chat_id, user_id, is_current, title)
    select telegram_id, id, false, 'Conversation ' || n
    from users, generate_series(1, ${size.conversations}::int) as n where id = ${ownerId}::int`);
  await db.execute(sql`
    insert into messages (conversation_id, role, content, created_at)
    select conversations.id, case when n % 2 = 1 then 'user' else 'assistant' end,
      'Message ' || n || ' about the weather in town ' || conversations.id, now()
    from conversations, generate_series(1, case when conversations.id = (select max(id) from conversations)
      then ${size.longestConversation}::int else ${MESSAGES_OF_CONVERSATION} end) as n
    order by conversations.id, n`);
  await db.execute(sql`
    update messages set parent_id = id - 1
    where exists (select from messages as parent where parent.id = messages.id - 1 and parent.conversation_id = messages.conversation_id)`);
  await db.execute(sql`
    insert into deliveries (chat_id, telegram_message_id, message_id, page)
    select conversations.chat_id, messages.id, messages.id, 0 from messages join conversations on conversations.id = messages.conversation_id`);
}

/** Adds notes, tasks, and runs of the last task. */
async function addNotesAndTasks(db: Database, ownerId: number, size: DataSize): Promise<void> {
  await db.execute(sql`
    insert into memories (user_id, author_id, content, digest, created_at, updated_at)
    select ${ownerId}::int, ${ownerId}::int, repeat('Note ' || n || ' ', 20), n::text, now(), now()
    from generate_series(1, ${size.memories}::int) as n`);
  await db.execute(sql`
    insert into tasks (user_id, kind, prompt, rule, starts_at, time_zone, next_due_at)
    select ${ownerId}::int, 'question', repeat('News of topic ' || n || ' ', 10), 'FREQ=DAILY', '2026-01-01T08:00',
      'Europe/Berlin', now() + interval '1 day'
    from generate_series(1, ${size.tasks}::int) as n`);
  await db.execute(sql`
    insert into task_runs (task_id, due_at, state, ended_at, created_at)
    select (select max(id) from tasks), now() - n * interval '1 day', 'done', now(), now()
    from generate_series(1, ${RUNS_OF_TASK}) as n`);
}

async function addBroadcasts(db: Database, count: number): Promise<void> {
  await db.execute(sql`
    insert into broadcasts (admin_telegram_id, source_message_id, status_message_id, language, state, interval_ms,
      created_at, ended_at, counts, notified_at)
    select 1, n, n + 1, 'en', 'done', 40, now() - n * interval '1 day', now(), '{"sent": 9000, "blocked": 1000}', now()
    from generate_series(1, ${count}::int) as n`);
}
