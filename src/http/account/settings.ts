import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MAX_SYSTEM_PROMPT_CHARACTERS, type UserSettings } from '../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../core/models/index.ts';
import { modelNameSchema } from '../../protocols/fields/field-schemas.ts';
import { invalidRequest } from '../../protocols/http-error.ts';
import { readBody, textSchema, timeZoneSchema } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { getUser } from './profile.ts';

/** Settings of the user. null is the default. */
export interface Settings {
  /** Language of the bot's texts as an IETF tag, such as `ru`; null: that of Telegram. */
  readonly language: string | null;
  /** IANA name; null: the guessed one. */
  readonly time_zone: string | null;
  readonly model: string | null;
  readonly image_model: string | null;
  readonly system_prompt: string | null;
  /** True if a persona steers answers, in the place of a system prompt. */
  readonly has_persona: boolean;
  readonly creativity: 'precise' | 'balanced' | 'creative' | null;
  readonly answer_length: 'short' | 'detailed' | null;
  readonly streaming: 'edits' | 'drafts' | 'whole';
  /** Answers that are also sent as voice messages. */
  readonly voice_replies: 'to-voice' | 'always' | null;
  readonly shows_reasoning: boolean;
  readonly rich_messages: boolean;
  readonly feedback_buttons: boolean;
  readonly tools: boolean;
  readonly memory: boolean;
}

const languageProblem = 'must be the tag of a language, such as en';

const switchSchema = z.boolean('must be true or false').nullable().optional();

function choiceSchema<const Option extends string>(options: readonly [Option, ...Option[]]) {
  return z
    .enum(options, `must be ${options.join(', ')} or null`)
    .nullable()
    .optional();
}

type SettingsChanges = z.infer<typeof settingsChangesSchema>;

/** Fields to change; null resets a field. */
const settingsChangesSchema = z.strictObject({
  language: z
    .string(languageProblem)
    .regex(/^[a-z]{2,3}$/, languageProblem)
    .nullable()
    .optional(),
  time_zone: timeZoneSchema.nullable().optional(),
  model: modelNameSchema.nullable().optional(),
  image_model: modelNameSchema.nullable().optional(),
  system_prompt: textSchema(MAX_SYSTEM_PROMPT_CHARACTERS).trim().nullable().optional(),
  creativity: choiceSchema(['precise', 'balanced', 'creative']),
  answer_length: choiceSchema(['short', 'detailed']),
  streaming: choiceSchema(['edits', 'drafts', 'whole']),
  voice_replies: choiceSchema(['to-voice', 'always']),
  shows_reasoning: switchSchema,
  rich_messages: switchSchema,
  feedback_buttons: switchSchema,
  tools: switchSchema,
  memory: switchSchema,
});

/** Settings of the user, and what can be chosen. */
export interface SettingsAnswer {
  readonly settings: Settings;
  /** Time zone of users who have not chosen one, guessed from the languages that they use. */
  readonly guessed_time_zone: string;
  readonly models: readonly ModelOption[];
  readonly image_models: readonly ModelOption[];
  /** Model of users who have not chosen one; null: there is none. */
  readonly default_model: string | null;
  readonly default_image_model: string | null;
  /** Whether answers can be read aloud. */
  readonly has_voice: boolean;
}

export interface ModelOption {
  readonly id: string;
  readonly name: string | null;
}

/** Adds the settings of the user, which hold in all chats. */
export function addOwnSettings(server: FastifyInstance, services: HttpServices): void {
  const { accounts, catalogue, speech, tasks } = services;
  server.get('/api/me/settings', async (request): Promise<SettingsAnswer> => {
    const { settings } = await getUser(services, getSession(request).userId);
    return {
      settings: toSettings(settings),
      guessed_time_zone: toGuess(settings),
      models: listModels(catalogue, 'chat'),
      image_models: listModels(catalogue, 'image'),
      default_model: catalogue.defaultChatModel()?.id ?? null,
      default_image_model: catalogue.defaultImageModel()?.id ?? null,
      has_voice: speech.isAvailable(),
    };
  });
  server.patch('/api/me/settings', async (request): Promise<Settings> => {
    const { userId } = getSession(request);
    const changes = await readBody(settingsChangesSchema, request);
    checkModel(catalogue, 'chat', 'model', changes.model);
    checkModel(catalogue, 'image', 'image_model', changes.image_model);
    const { settings: before } = await getUser(services, userId);
    const { settings } = await accounts.updateSettings(userId, toChanges(changes));
    const { timeZone: from = toGuess(before) } = before;
    const { timeZone: to = toGuess(settings) } = settings;
    // Repeated tasks keep their local time.
    if (from !== to) await tasks.changeTimeZone(userId, { from, to });
    return toSettings(settings);
  });
}

function toGuess({ guessedTimeZone = 'UTC' }: UserSettings): string {
  return guessedTimeZone;
}

function listModels(catalogue: Catalogue, type: ModelEntry['type']): readonly ModelOption[] {
  return catalogue
    .list()
    .filter((entry) => entry.type === type)
    .map(({ id, displayName }) => ({ id, name: displayName ?? null }));
}

/** @throws HttpError 400 for a model that does not exist or does something else. */
function checkModel(
  catalogue: Catalogue,
  type: ModelEntry['type'],
  field: string,
  model: string | null | undefined,
): void {
  if (typeof model !== 'string' || catalogue.find(model)?.type === type) return;
  const kind = type === 'chat' ? 'a chat model' : 'an image model';
  throw invalidRequest(`'${field}' must be the name of ${kind} of this service.`, field);
}

function toSettings(settings: UserSettings): Settings {
  return {
    language: settings.language ?? null,
    time_zone: settings.timeZone ?? null,
    model: settings.model ?? null,
    image_model: settings.imageModel ?? null,
    system_prompt: settings.systemPrompt ?? null,
    has_persona: settings.systemPrompt === undefined && settings.persona !== undefined,
    creativity: settings.creativity ?? null,
    answer_length: settings.answerLength ?? null,
    streaming: settings.streaming ?? 'edits',
    voice_replies: settings.voiceReplies ?? null,
    shows_reasoning: settings.showsReasoning ?? true,
    rich_messages: settings.hasRichMessages ?? true,
    feedback_buttons: settings.feedbackButtons ?? true,
    tools: settings.hasTools ?? true,
    memory: settings.hasMemory ?? true,
  };
}

/** Converts the fields that were sent; null, and a switch that is on, is the default. */
function toChanges(changes: SettingsChanges): UserSettings {
  const set = <Field extends keyof UserSettings>(field: Field, value: UserSettings[Field] | null | undefined) =>
    value === undefined ? {} : { [field]: value ?? undefined };
  const setSwitch = (field: keyof UserSettings, isOn: boolean | null | undefined) =>
    isOn === undefined ? {} : { [field]: isOn === false ? false : undefined };
  return {
    ...set('language', changes.language),
    ...set('timeZone', changes.time_zone),
    ...set('model', changes.model),
    ...set('imageModel', changes.image_model),
    // A persona is used only without a system prompt, and both are removed together.
    ...(changes.system_prompt === undefined
      ? {}
      : { systemPrompt: changes.system_prompt || undefined, persona: undefined }),
    ...set('creativity', changes.creativity),
    ...set('answerLength', changes.answer_length),
    ...set('streaming', changes.streaming),
    ...set('voiceReplies', changes.voice_replies),
    ...setSwitch('showsReasoning', changes.shows_reasoning),
    ...setSwitch('hasRichMessages', changes.rich_messages),
    ...setSwitch('feedbackButtons', changes.feedback_buttons),
    ...setSwitch('hasTools', changes.tools),
    ...setSwitch('hasMemory', changes.memory),
  };
}
