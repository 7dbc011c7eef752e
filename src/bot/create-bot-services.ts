import type { UserFromGetMe } from 'grammy/types';
import { createBroadcastSender } from '../core/broadcasts/index.ts';
import { Jobs } from '../core/jobs/index.ts';
import { createAnswers } from './answers/asking.ts';
import { createTitles } from './answers/titles.ts';
import { createChatAdmins } from './choices/groups.ts';
import { createRequestSender } from './features/access-requests/request-sender.ts';
import { createBroadcastTransport } from './features/broadcasts/broadcast-transport.ts';
import { createNoticeSender } from './features/budget-notices/notice-sender.ts';
import { Saving } from './features/save/saving.ts';
import { createTaskRunner } from './features/tasks/task-runner.ts';
import { AlbumMemory } from './inputs/album-memory.ts';
import { createIncomingQuestions } from './inputs/incoming-questions.ts';
import { createLinkMemory } from './inputs/link-memory.ts';
import { MessageParts } from './inputs/message-parts.ts';
import type { ActionRegistry } from './kit/actions.ts';
import type { AnswerExtension, BotJobKind, Command } from './kit/feature.ts';
import { createKeyboardChanges } from './kit/keyboards.ts';
import { createNotices } from './kit/notices.ts';
import type { BotServices, GivenServices } from './kit/services.ts';
import { createQuestionService } from './questions.ts';
import { createRichSupport } from './reply-stream/page-formats.ts';

interface FeatureLists {
  readonly commands: readonly Command[];
  readonly actions: ActionRegistry;
  readonly jobKinds: readonly BotJobKind[];
  readonly listAnswerExtensions: () => readonly AnswerExtension[];
}

/** Adds the bot's own parts to what it was given. */
export function createBotServices(
  given: GivenServices,
  getMe: () => Promise<UserFromGetMe>,
  { commands, actions, jobKinds, listAnswerExtensions }: FeatureLists,
): BotServices {
  // The parts reach each other through it, only once they run.
  const services = { ...given } as BotServices;
  const parts: Omit<BotServices, keyof GivenServices> = {
    commands,
    actions,
    listAnswerExtensions,
    findUsername: async () => (await getMe()).username,
    keyboards: createKeyboardChanges(services),
    admins: createChatAdmins(services),
    messageParts: new MessageParts(services),
    questions: createIncomingQuestions(services),
    albums: new AlbumMemory(),
    lastLinks: createLinkMemory(services),
    richSupport: createRichSupport(),
    jobs: new Jobs(services, jobKinds),
    answers: createAnswers(services),
    titles: createTitles(services),
    questionService: createQuestionService(services),
    saving: new Saving(services),
    taskRunner: createTaskRunner(services),
    broadcastSender: createBroadcastSender({ ...given, transport: createBroadcastTransport(services) }),
    notices: createNotices(services),
    noticeSender: createNoticeSender(services),
    requestSender: createRequestSender(services),
  };
  return Object.assign(services, parts);
}
