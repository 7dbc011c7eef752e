import { MAX_SPOKEN_CHARACTERS } from '../../../core/models/index.ts';
import { toSpeechText } from '../../../telegram/markdown/index.ts';
import type { WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Texts } from '../../texts/locales.ts';
import { createSideJobs, type SideJobRefusal } from '../../work/side-jobs.ts';
import { readAloud, type VoiceOptions } from './read-answer.ts';
import { texts } from './texts.ts';

/** Jobs that read answers aloud, independently of update handling. */
export interface VoiceJobs {
  /**
   * Starts to read an answer aloud in the chat and topic of its messages.
   * @param markdown the answer.
   * @returns `empty` if there is nothing to speak; `running` if a job is already running; `full`, `busy` as in
   * `SideJobs`.
   */
  begin(options: Omit<VoiceOptions, 'words'>, markdown: string): 'started' | 'empty' | SideJobRefusal;
  listBusyChats(): ReadonlySet<number>;
  /** Stops the user's jobs in the scope. @returns their number. */
  stop(scope: WorkScope, userId: number): number;
  hasWork(scope: WorkScope, userId: number): boolean;
  whenEnded(userId: number): Promise<void>;
  close(): Promise<void>;
}

const MAX_JOBS = 200;
/** Maximum number of jobs per user. */
const MAX_USER_JOBS = 3;

/**
 * Creates the jobs. They are in memory only: after a crash a voice message is either sent or lost, and the button
 * remains.
 */
export function createVoiceJobs(services: BotServices): VoiceJobs {
  const jobs = createSideJobs(services, { maxJobs: MAX_JOBS, maxUserJobs: MAX_USER_JOBS });
  return {
    begin(options, markdown) {
      const words = toWords(markdown, options.texts);
      if (words === '') return 'empty';
      const { userId, chatTopic, answerId } = options;
      const job = jobs.enter({ key: `answer:${answerId}`, userId, chatTopic, facts: undefined });
      if (typeof job === 'string') return job;
      job.isStoppable = true;
      const onSpoken = () => {
        job.isStoppable = false;
      };
      jobs.run(job, (signals) => readAloud(services, { ...options, words }, signals, onSpoken));
      return 'started';
    },
    listBusyChats: jobs.listBusyChats,
    stop: (scope, userId) => jobs.stop(scope, userId),
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    close: () => jobs.close(),
  };
}

/**
 * Converts an answer to speakable text; empty if there is nothing to speak. A text that is too long ends after a
 * sentence, with a note.
 */
function toWords(markdown: string, { locale }: Texts): string {
  const { signs, rest } = texts[locale];
  const words = toSpeechText(markdown, signs);
  if (words.length <= MAX_SPOKEN_CHARACTERS) return words;
  const shortened = words.slice(0, MAX_SPOKEN_CHARACTERS - rest.length - 2).toWellFormed();
  return `${shortened.slice(0, findEnd(shortened))}\n\n${rest}`;
}

/** Returns the position after the last sentence in the second half, otherwise after the last word. */
function findEnd(text: string): number {
  const ends = [...text.matchAll(/[.!?…。！？](?=\s)|\n/g)].map((found) => found.index + 1);
  const end = ends.at(-1) ?? 0;
  if (end > text.length / 2) return end;
  const space = text.lastIndexOf(' ');
  return space > text.length / 2 ? space : text.length;
}
