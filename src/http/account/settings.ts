import type { FastifyInstance } from 'fastify';
import type { UserSettings } from '../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../core/models/index.ts';
import { readBody } from '../resources/query.ts';
import { invalidRequest } from '../server/http-error.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { getUser } from './profile.ts';
import { type Settings, type SettingsChanges, settingsChangesSchema } from './settings-fields.ts';

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
