import {
  type Accounts,
  createAccounts,
  createApiKeys,
  createKeyUses,
  createUsageReports,
} from '../core/accounts/index.ts';
import {
  createAccessRequests,
  createAdministration,
  createFirstAdminCodes,
  createGroupAccess,
  createInvitations,
  createMonthlySummaries,
  createServiceReports,
} from '../core/administration/index.ts';
import { createBroadcasts } from '../core/broadcasts/index.ts';
import { createBudgetNotices } from '../core/budget-notices/index.ts';
import { createConversations } from '../core/conversations/index.ts';
import { createDocumentTexts } from '../core/documents/index.ts';
import { createFeedback } from '../core/feedback/index.ts';
import {
  createAudioGeneration,
  createChatGeneration,
  createEmbeddingGeneration,
  createImageGeneration,
  createModerationGeneration,
  createRerankGeneration,
  createTextCompletionGeneration,
  createTextToSpeech,
  createToolAnswers,
  createTranscription,
  LeftRequests,
} from '../core/generation/index.ts';
import { createGroups, type Groups } from '../core/groups/index.ts';
import { createDatabaseIdempotencyStore, createIdempotency } from '../core/idempotency/index.ts';
import { createImageJobs } from '../core/image-jobs/index.ts';
import { ChatLeases } from '../core/inbox/index.ts';
import { createInteractions } from '../core/interactions/index.ts';
import { DurableJobs } from '../core/jobs/index.ts';
import { createLibrary } from '../core/library/index.ts';
import { createBudgets, createLimits, type Limits, toPlan } from '../core/limits/index.ts';
import { createManagement } from '../core/management/index.ts';
import { createMemories } from '../core/memory/index.ts';
import type { ChatModel, Models } from '../core/models/index.ts';
import { createPersonalData } from '../core/personal-data/index.ts';
import { createPersonas } from '../core/personas/index.ts';
import { createStoredResponses } from '../core/responses/index.ts';
import { createSessions } from '../core/sessions/index.ts';
import { createSharedConversations } from '../core/shared-conversations/index.ts';
import { createStorage, type StorageDeps, type StorageOptions } from '../core/storage/index.ts';
import { createTaskLedger, createTaskScheduler, createTasks, toTaskLimits } from '../core/tasks/index.ts';
import type { DatabaseConfig } from '../database/connect.ts';
import { observeChatGeneration, observeImageGeneration, observeRequests } from '../telemetry/observe-generation.ts';
import { observeStorage } from '../telemetry/observe-storage.ts';
import type { Foundation } from './open-resources.ts';
import type { Rules } from './read-settings.ts';

/** Store of the bytes of files, with their encryption key and the reading of the disk that they fill. */
export type BlobStorage = Pick<
  StorageDeps,
  'store' | 'formerStores' | 'encryptionKey' | 'formerEncryptionKeys' | 'readSpace'
>;

export interface ServicesDeps extends Foundation {
  readonly models: Pick<Models, 'catalogue' | 'router' | 'transcription' | 'speech' | 'providers' | 'circuits'>;
  readonly blobs: BlobStorage;
  /** Read at each use, because its fields may be replaced. */
  readonly rules: Rules;
}

export interface ServicesOptions {
  /** Default: a server. */
  readonly database?: Pick<DatabaseConfig, 'kind'> | undefined;
  readonly storage?: StorageOptions | undefined;
  /** Concurrent image requests of one user. Default 2. */
  readonly imagesAtOnce?: number | undefined;
  /** Days after which messages are deleted. Default: never. */
  readonly retentionDays?: number | undefined;
}

/** The embedded database runs in this thread: summing up this number of rows of the ledger blocks it for about 50 ms. */
const MAX_EMBEDDED_ROWS = 50_000;

export type Services = ReturnType<typeof createServices>;

/**
 * Creates the services shared by the bot and the HTTP API. Periodic clean-up of storage and personal data, and the
 * indexing of the library, are not started yet.
 */
export function createServices(deps: ServicesDeps, options: ServicesOptions = {}) {
  const { db, clock, logger, observer, usage, closers } = deps;
  const groups = createGroups({ db, clock, logger });
  const access = createAccess(deps, groups);
  const storage = observeStorage(
    createStorage(
      { db, clock, logger, ...deps.blobs },
      { ...options.storage, isOnlyProcess: options.database?.kind === 'embedded' },
    ),
    observer,
  );
  closers.add(() => storage.close());
  const personalData = createPersonalData(
    { db, clock, logger, storage, recorder: usage, rules: deps.rules },
    { retentionDays: options.retentionDays },
  );
  closers.add(() => personalData.close());
  const idempotency = createIdempotency({ store: createDatabaseIdempotencyStore({ db }), clock, logger });
  closers.add(() => idempotency.close());
  const generation = createGeneration({ ...deps, limits: access.limits }, options);
  const documents = createDocumentTexts();
  closers.add(() => documents.close());
  // Users do not wait for files that are read in the background.
  const fileTexts = createDocumentTexts({ atOnce: 1 });
  closers.add(() => fileTexts.close());
  const meaning = { embeddings: generation.embeddings, catalogue: deps.models.catalogue };
  const library = createLibrary({ db, clock, logger, storage, documents: fileTexts, meaning });
  closers.add(() => library.close());
  const durableJobs = new DurableJobs({ db, clock, logger }, { isOnlyProcess: options.database?.kind === 'embedded' });
  closers.add(() => durableJobs.close());
  const chatLeases = new ChatLeases();
  return {
    ...access,
    ...generation,
    ...createTaskServices(deps, access.accounts),
    usage,
    catalogue: deps.models.catalogue,
    storage,
    sharedConversations: createSharedConversations({ storage }),
    personalData,
    documents,
    library,
    durableJobs,
    idempotency,
    usageReports: createUsageReports({ db, clock, recorder: usage }),
    serviceReports: createServiceReports({ db, clock, recorder: usage }),
    monthlySummaries: createMonthlySummaries({ db, clock, recorder: usage }),
    feedback: createFeedback({ db, clock, recorder: usage }),
    broadcasts: createBroadcasts({ db, clock }),
    chatLeases,
    conversations: createConversations({ db, chatLeases }),
    responses: createStoredResponses({ db, clock }),
    personas: createPersonas({ db }),
    memories: createMemories({ db, clock }),
    groups,
    interactions: createInteractions({ db, clock, chatLeases }),
    imageJobs: createImageJobs({ db, clock, chatLeases }),
    management: createManagement({
      db,
      clock,
      models: deps.models,
      rules: deps.rules,
      recorder: usage,
      maxRowsRead: options.database?.kind === 'embedded' ? MAX_EMBEDDED_ROWS : undefined,
    }),
  };
}

/** Creates users, API keys, limits and notices about budgets. */
function createAccess({ db, clock, logger, rules, closers }: ServicesDeps, groups: Groups) {
  const groupAccess = createGroupAccess({
    db,
    clock,
    get adminIds() {
      return rules.adminIds;
    },
  });
  const administrationDeps = {
    db,
    clock,
    isGroupMember: groupAccess.isMember,
    get adminIds() {
      return rules.adminIds;
    },
    get allowedIds() {
      return rules.allowedIds;
    },
    get uploads() {
      return rules.uploads;
    },
  };
  const administration = createAdministration(administrationDeps);
  const accountsDeps = {
    db,
    clock,
    isAdmitted: async (telegramId: number) => (await administration.admit(telegramId)) === 'welcome',
    get adminIds() {
      return rules.adminIds;
    },
    get storesNames() {
      return rules.storesNames;
    },
  };
  const accounts = createAccounts(accountsDeps);
  const keyUses = createKeyUses({ db, clock, logger });
  closers.add(() => keyUses.close());
  const budgets = createBudgets({ db, clock });
  const budgetNotices = createBudgetNotices({ db, clock, logger, budgets, groups, findPlan: accounts.findPlan, rules });
  closers.add(() => budgetNotices.flush());
  const limits = createLimits({
    db,
    clock,
    logger,
    findPlan: accounts.findPlan,
    get plans() {
      return rules.plans;
    },
    get budget() {
      return rules.budget;
    },
    onBudgetUse: (uses) => budgetNotices.check(uses),
  });
  closers.add(() => limits.close());
  return {
    administration,
    accessRequests: createAccessRequests(administrationDeps),
    invitations: createInvitations(administrationDeps),
    firstAdminCodes: createFirstAdminCodes(administrationDeps),
    groupAccess,
    accounts,
    apiKeys: createApiKeys({ db, clock }),
    sessions: createSessions(accountsDeps),
    keyUses,
    limits,
    budgets,
    budgetNotices,
  };
}

/** Creates tasks and reminders. The scheduler is not started yet. */
function createTaskServices({ db, clock, logger, rules }: ServicesDeps, { findPlan }: Pick<Accounts, 'findPlan'>) {
  const readLimits = async (userId: number) => toTaskLimits(toPlan(rules.plans, await findPlan(userId)).tasks);
  const taskLedger = createTaskLedger({ db, clock, readLimits });
  const taskScheduler = createTaskScheduler({ ledger: taskLedger, clock, logger });
  const tasks = createTasks({ db, clock, readLimits, onDueSooner: () => taskScheduler.wake() });
  return { tasks, taskLedger, taskScheduler };
}

/** Creates generation with limits, metering and telemetry. */
function createGeneration(deps: ServicesDeps & { readonly limits: Limits }, { imagesAtOnce }: ServicesOptions) {
  const { clock, logger } = deps;
  const { catalogue, router, transcription, speech } = deps.models;
  const findPrice = (provider: string, model: string) => catalogue.findPrice({ provider, model });
  const findPrices = (model: string) => catalogue.findPrices(model);
  const findContextLength = (model: string) => catalogue.find(model)?.contextLength;
  const isFreeField = (model: string, field: string) => catalogue.isFreeField(model, field);
  const metering = { usage: deps.usage, limits: deps.limits, findPrice, findPrices, isFreeField, clock };
  const leftRequests = new LeftRequests(clock, deps.heldBytes);
  deps.closers.add(() => leftRequests.close());
  const createCounted = (chat: ChatModel) =>
    observeChatGeneration(createChatGeneration({ chat, findContextLength, leftRequests, ...metering }), deps);
  const generation = createCounted(router.chat);
  const embeddings = createEmbeddingGeneration({ embedding: router.embedding, ...metering });
  const moderations = createModerationGeneration({ moderation: router.moderation, ...metering });
  const rerank = createRerankGeneration({ rerank: router.rerank, ...metering });
  const images = createImageGeneration({ image: router.image, ...metering }, { perUser: imagesAtOnce });
  return {
    generation,
    completions: createTextCompletionGeneration(router.completion, createCounted),
    embeddings: { embed: observeRequests('embedding', embeddings.embed, deps) },
    moderations: { moderate: observeRequests('moderation', moderations.moderate, deps) },
    rerank: { rerank: observeRequests('rerank', rerank.rerank, deps) },
    images: observeImageGeneration(images, deps),
    toolAnswers: createToolAnswers({ generation, clock, logger, findPrice }),
    audio: createAudioGeneration({ models: router, ...metering }),
    transcription: createTranscription({ transcription, ...metering }),
    speech: createTextToSpeech({ speech, ...metering }),
  };
}
