import type { UserFromGetMe } from 'grammy/types';
import { createBroadcastSender } from '../core/broadcasts/index.ts';
import { createAnswers } from './answers/answers.ts';
import { createBroadcastTransport } from './features/broadcasts/broadcast-transport.ts';
import { createNoticeSender } from './features/budget-notices/notice-sender.ts';
import { createImageJobRunner } from './features/imagine/image-job-runner.ts';
import { createInlineAnswerJobs } from './features/inline-mode/inline-answers.ts';
import { speakAnswer } from './features/read-aloud/speak-answer.ts';
import { createVoiceJobs } from './features/read-aloud/voice-jobs.ts';
import { createSaveJobs } from './features/save/save-jobs.ts';
import { createTaskRunner } from './features/tasks/task-runner.ts';
import type { AnswerExtension } from './framework/answer-extension.ts';
import type { BotDeps } from './framework/bot-deps.ts';
import type { Command } from './framework/feature.ts';
import { createKeyboardChanges } from './framework/keyboard-changes.ts';
import { createChatAdmins } from './groups/chat-admins.ts';
import { type AlbumFate, createAlbumMemory } from './inputs/album-memory.ts';
import { createIncomingQuestions } from './inputs/incoming-questions.ts';
import { createLinkMemory } from './inputs/link-memory.ts';
import { MessageParts } from './inputs/message-parts.ts';
import { createQuestionService } from './questions/ask.ts';
import { createRichSupport } from './reply-stream/index.ts';
import { createNotices } from './sending/notices.ts';

/** Dependencies of features: the services of the product and the bot's running jobs. */
export type BotServices = ReturnType<typeof createBotServices>;

export function createBotServices(
  deps: BotDeps & { readonly commands: readonly Command[] },
  getMe: () => Promise<UserFromGetMe>,
  listExtensions: () => readonly AnswerExtension[],
) {
  const keyboards = createKeyboardChanges(deps);
  const jobs = createImageJobRunner(deps);
  const voices = createVoiceJobs(deps);
  const saving = createSaveJobs(deps);
  const answers = createAnswers(
    { ...deps, keyboards, richSupport: createRichSupport() },
    {
      listExtensions,
      onSettled: (job) => void speakAnswer(deps, voices, job),
    },
  );
  const taskRunner = createTaskRunner(deps, answers);
  const messageParts = new MessageParts(deps);
  const findUsername = async () => (await getMe()).username;
  return {
    ...deps,
    keyboards,
    /** Returns the bot's username. */
    findUsername,
    admins: createChatAdmins(deps),
    /** Running image jobs. */
    jobs,
    voices,
    saving,
    answers,
    taskRunner,
    questionService: createQuestionService(deps, answers),
    inline: createInlineAnswerJobs(deps, findUsername),
    broadcastSender: createBroadcastSender({ ...deps, transport: createBroadcastTransport(deps) }),
    notices: createNotices(deps),
    noticeSender: createNoticeSender(deps),
    /** Jobs that `/stop` and `/forget` end. */
    work: { answers, imageJobs: jobs, saving, voices },
    messageParts,
    questions: createIncomingQuestions({ ...deps, messageParts }),
    albums: createAlbumMemory<AlbumFate>(),
    lastLinks: createLinkMemory(deps),
  };
}
