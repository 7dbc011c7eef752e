import { z } from 'zod';
import { MAX_SYSTEM_PROMPT_CHARACTERS } from '../../core/accounts/index.ts';
import { modelNameSchema } from '../api/fields/field-schemas.ts';
import { textSchema, timeZoneSchema } from '../resources/query.ts';

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

export type SettingsChanges = z.infer<typeof settingsChangesSchema>;

/** Fields to change; null resets a field. */
export const settingsChangesSchema = z.strictObject({
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
