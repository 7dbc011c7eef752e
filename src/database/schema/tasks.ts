import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { messages } from './conversations.ts';
import { groups } from './groups.ts';

/** Tasks and reminders of users: texts that become questions or messages at given times. */
export const tasks = pgTable(
  'tasks',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Group in which the task runs; null: the private chat of its user. */
    groupId: bigint('group_id', { mode: 'number' }).references(() => groups.chatId, {
      onDelete: 'cascade',
      onUpdate: 'cascade',
    }),
    /** Null outside topics. */
    topicId: integer('topic_id'),
    kind: text({ enum: ['reminder', 'question'] }).notNull(),
    prompt: text().notNull(),
    /** Time of a task that runs once. */
    onceAt: timestamp('once_at', { withTimezone: true }),
    /** Recurrence rule of RFC 5545 of a repeated task, without `RRULE:`. */
    rule: text(),
    /** Start of the rule as local time: `2026-11-24T08:00`. */
    startsAt: text('starts_at'),
    /** IANA name. */
    timeZone: text('time_zone').notNull(),
    /** Language of the user's app as an IETF tag; null if unknown. */
    language: text(),
    /** True if a model wrote the text after it had read text of others. */
    hasForeignText: boolean('has_foreign_text').notNull().default(false),
    quietWhenNothingNew: boolean('quiet_when_nothing_new').notNull().default(false),
    state: text({ enum: ['active', 'paused', 'ended'] })
      .notNull()
      .default('active'),
    pausedReason: text('paused_reason', { enum: ['user', 'failures', 'unreachable', 'not-allowed'] }),
    /** Next due time of an active task. */
    nextDueAt: timestamp('next_due_at', { withTimezone: true }),
    /** Failed runs since the last successful one. */
    failures: integer().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('tasks_prompt', sql`${table.prompt} <> ''`),
    check('tasks_kind', sql`${table.kind} in ('reminder', 'question')`),
    check('tasks_state', sql`${table.state} in ('active', 'paused', 'ended')`),
    check('tasks_paused', sql`(${table.state} = 'paused') = (${table.pausedReason} is not null)`),
    check('tasks_due', sql`(${table.state} = 'active') = (${table.nextDueAt} is not null)`),
    check('tasks_rule', sql`(${table.rule} is null) = (${table.startsAt} is null)`),
    check('tasks_when', sql`num_nonnulls(${table.onceAt}, ${table.rule}) = 1`),
    index('tasks_next').on(table.nextDueAt).where(sql`${table.nextDueAt} is not null`),
    index('tasks_user').on(table.userId, table.groupId),
    index('tasks_group').on(table.groupId).where(sql`${table.groupId} is not null`),
  ],
);

/** Ledger of runs: one row for each due time of a task, and one open run of a task at a time. */
export const taskRuns = pgTable(
  'task_runs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    taskId: bigint('task_id', { mode: 'number' })
      .notNull()
      .references(() => tasks.id, { onDelete: 'cascade' }),
    dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
    /** Later due times that had passed when the run was made; this run stands for them. */
    missedCount: integer('missed_count').notNull().default(0),
    /** True if the user has started it. */
    isManual: boolean('is_manual').notNull().default(false),
    state: text({ enum: ['due', 'claimed', 'started', 'done', 'failed', 'unclear', 'skipped'] })
      .notNull()
      .default('due'),
    /** True if a quiet run had nothing to report. */
    isQuiet: boolean('is_quiet').notNull().default(false),
    /** Why it failed or was skipped, such as `quota`. */
    reason: text(),
    /** Time from which a run or its notice is handed over again. */
    leaseUntil: timestamp('lease_until', { withTimezone: true }),
    claims: integer().notNull().default(0),
    /** Question of a started run. */
    questionId: bigint('question_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'set null' }),
    endedAt: timestamp('ended_at', { withTimezone: true }),
    /** Notice about the run that the user has not been told yet. */
    notice: text({ enum: ['quota', 'paused', 'not-started', 'no-model', 'unreachable', 'not-allowed'] }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    unique('task_runs_due').on(table.taskId, table.dueAt),
    uniqueIndex('task_runs_one_open').on(table.taskId).where(sql`${table.state} in ('due', 'claimed', 'started')`),
    index('task_runs_open').on(table.state).where(sql`${table.state} in ('due', 'claimed', 'started')`),
    index('task_runs_notice').on(table.id).where(sql`${table.notice} is not null`),
    index('task_runs_question').on(table.questionId).where(sql`${table.questionId} is not null`),
    check('task_runs_missed', sql`${table.missedCount} >= 0`),
    check(
      'task_runs_state',
      sql`${table.state} in ('due', 'claimed', 'started', 'done', 'failed', 'unclear', 'skipped')`,
    ),
  ],
);
