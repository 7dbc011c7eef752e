import type { Settings } from '../../test/support/harness/process.ts';
import { type Contestant, type ContestantKind, startContestant } from './contestants.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { type AnswerPlan, startScriptedProvider } from './scripted-provider.ts';
import { startTelegram } from './telegram.ts';

/** Simulated Telegram and scripted model, with the compared bots as separate processes. */
export interface Stage<Kind extends ContestantKind> {
  readonly contestants: readonly Contestant<Kind>[];
  /** Sends a question as a new user in a new chat. */
  ask(contestant: Contestant<Kind>, plan: AnswerPlan): Conversation;
  /** Ends all processes and deletes their data. */
  close(): Promise<void>;
}

export interface StageOptions<Kind extends ContestantKind> {
  readonly kinds: readonly Kind[];
  readonly limits: 'telegram' | 'off';
  /** Additional settings of the processes. */
  readonly settings?: Settings;
  /** Empty database on a Postgres server for Switchboard; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** Starts one bot of each kind, each with a separate Telegram. If one fails, the others are ended. */
export async function openStage<Kind extends ContestantKind>(options: StageOptions<Kind>): Promise<Stage<Kind>> {
  const provider = await startScriptedProvider();
  const contestants: Contestant<Kind>[] = [];
  const close = async () => {
    await Promise.all(contestants.map((contestant) => contestant.close()));
    await provider.close();
  };
  try {
    for (const kind of options.kinds) {
      const telegram = await startTelegram(options.limits);
      const contestant = startContestant(kind, telegram, {
        OPENAI_BASE_URL: provider.baseUrl,
        MODEL_TITLES: 'false',
        ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
        ...options.settings,
      });
      contestants.push(await contestant);
    }
    return {
      contestants,
      ask: ({ telegram }, plan) => openConversation(telegram.control, provider.prepare(plan)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
