import type { Settings } from '../../test/support/running-service.ts';
import { type Contestant, type ContestantKind, startContestant } from './contestants.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { type AnswerPlan, startScriptedProvider } from './scripted-provider.ts';
import { startTelegram } from './telegram.ts';

/** Telegram and the model, played here, and bots in processes of their own between them. */
export interface Stage<Kind extends ContestantKind> {
  readonly contestants: readonly Contestant<Kind>[];
  /** A new person writes to the bot, and nobody else ever does in this chat. */
  ask(contestant: Contestant<Kind>, plan: AnswerPlan): Conversation;
  /** Ends everything and removes what was written. */
  close(): Promise<void>;
}

export interface StageOptions<Kind extends ContestantKind> {
  readonly kinds: readonly Kind[];
  readonly limits: 'telegram' | 'off';
  /** Further settings of the processes. */
  readonly settings?: Settings;
  /** For the product: an empty database on a Postgres server; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** Starts one of each kind, each with a Telegram of its own. What was started before a failure is ended. */
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
