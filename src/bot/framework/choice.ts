import { z } from 'zod';

/**
 * Who may press a button: the person it was offered to, that person or an admin of the chat, the admins of the group, everyone; or
 * whoever began a message of inline mode.
 */
export type Audience = 'person' | 'person-or-admin' | 'group-admins' | 'everyone' | 'inline';

export interface ActionDefinition {
  /** Kept as JSON in the database, and buttons stay in chats for weeks: fields that are added later must be optional. */
  readonly fields: z.ZodRawShape;
  /** Default `person`. */
  readonly audience?: Audience;
}

export type ActionDefinitions = Readonly<Record<string, ActionDefinition>>;

/** What stands behind the buttons of a feature, by kind. */
export type ChoicesOf<Definitions extends ActionDefinitions> = {
  readonly [Kind in keyof Definitions & string]: z.infer<
    z.ZodObject<Definitions[Kind]['fields'] & { kind: z.ZodLiteral<Kind> }>
  >;
};

/** What can stand behind a button, by kind. Each feature adds its own actions where it defines them (declaration merging). */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureActions {}

/** A failed answer that can be asked for again. */
export const retry = z.object({
  /** The person's message that is to be answered. */
  questionId: z.number(),
  /** The answer that failed. */
  failedId: z.number(),
  /** Telegram messages that show what came of it: they go as soon as the new answer shows. */
  shownIds: z.array(z.number()),
  /** The Telegram message that the new answer replies to. */
  replyTo: z.number().optional(),
});

/** The answer that stands in the chat. */
const variant = { answerId: z.number() };

/** A drawing whose pictures stand in the chat. */
const drawn = { drawingId: z.number(), pictureIds: z.array(z.number()) };

/** Callback actions that have not moved to their features yet. */
const choiceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('retry'), retry }),
  z.object({ kind: z.literal('rate-answer'), answerId: z.number(), rating: z.enum(['up', 'down']) }),
  z.object({ kind: z.literal('regenerate'), ...variant, model: z.string().optional() }),
  /** Below the words about a variant that did not come about: the same once more, for this question. */
  z.object({ kind: z.literal('retry-variant'), ...variant, questionId: z.number(), model: z.string().optional() }),
  z.object({ kind: z.literal('continue-answer'), ...variant }),
  /** The same below the words about a try that has failed. */
  z.object({ kind: z.literal('retry-continuation'), ...variant }),
  z.object({ kind: z.literal('turn-variant'), ...variant, by: z.number() }),
  z.object({ kind: z.literal('describe-variant'), ...variant }),
  z.object({ kind: z.literal('list-answer-models'), ...variant, page: z.number() }),
  z.object({ kind: z.literal('show-answer-buttons'), ...variant }),
  z.object({ kind: z.literal('list-more-answer-buttons'), ...variant }),
  z.object({ kind: z.literal('read-aloud'), ...variant }),
  /** Below the words about a reading that has failed. */
  z.object({ kind: z.literal('retry-reading-aloud'), ...variant }),
  /** Below the question whether a model may call a tool. */
  z.object({
    kind: z.literal('permit-tool'),
    ...variant,
    pauseId: z.string(),
    permission: z.enum(['once', 'always', 'no']),
  }),
  z.object({ kind: z.literal('stop-drawing'), drawingId: z.number() }),
  /** The message that holds the button becomes the new try. */
  z.object({ kind: z.literal('retry-drawing'), drawingId: z.number() }),
  z.object({ kind: z.literal('draw-again'), drawingId: z.number() }),
  z.object({ kind: z.literal('vary-picture'), drawingId: z.number(), pictureId: z.number() }),
  z.object({ kind: z.literal('list-ratios'), ...drawn }),
  z.object({ kind: z.literal('draw-in-ratio'), ...drawn, ratio: z.string() }),
  z.object({ kind: z.literal('show-picture-buttons'), ...drawn }),
  z.object({ kind: z.literal('send-originals'), ...drawn }),
  /** For an order that has not been drawn yet. */
  z.object({ kind: z.literal('select-ratio'), drawingId: z.number(), ratio: z.string() }),
  z.object({
    kind: z.literal('list-drawing-models'),
    drawingId: z.number(),
    ratio: z.string().optional(),
    page: z.number(),
  }),
  z.object({
    kind: z.literal('select-drawing-model'),
    drawingId: z.number(),
    ratio: z.string().optional(),
    model: z.string(),
  }),
]);

/** What stands behind a button: the kind of the action, and its fields. Kept as JSON in the database. */
export type Choice = FeatureActions[keyof FeatureActions] | z.infer<typeof choiceSchema>;
export type ChoiceKind = Choice['kind'];
export type ChoiceOf<Kind extends ChoiceKind> = Extract<Choice, { kind: Kind }>;
export type Retry = z.infer<typeof retry>;

/** What everyone who sees an answer may press: their opinion, and the way to it. */
const OPEN_CONTROLS: ReadonlySet<string> = new Set(['rate-answer', 'list-more-answer-buttons', 'show-answer-buttons']);

/** What is below an answer for the person who asked, and in groups for the chat's admins. */
const ANSWER_CONTROLS: ReadonlySet<string> = new Set([
  'regenerate',
  'retry-variant',
  'continue-answer',
  'retry-continuation',
  'turn-variant',
  'describe-variant',
  'list-answer-models',
  'read-aloud',
  'permit-tool',
]);

const audienceOfLegacy = (kind: string): Audience => {
  if (OPEN_CONTROLS.has(kind)) return 'everyone';
  if (ANSWER_CONTROLS.has(kind)) return 'person-or-admin';
  return 'person';
};

/** Actions that have not moved to their features yet. */
const legacyActions: Record<string, ActionDefinition> = Object.fromEntries(
  choiceSchema.options.map((option) => {
    const kind: string = option.shape.kind.value;
    return [kind, { fields: option.shape, audience: audienceOfLegacy(kind) }];
  }),
);

const kindOnly = z.object({ kind: z.string() });

/** Reads what was kept behind a button. */
export interface ActionRegistry {
  /** @returns undefined where it is from a version that this one does not understand */
  parse(kept: unknown): Choice | undefined;
  audienceOf(kind: ChoiceKind): Audience;
  fieldsOf(kind: ChoiceKind): z.ZodRawShape;
  /** All kinds, for tests that press each of them. */
  readonly kinds: readonly ChoiceKind[];
}

export function createActionRegistry(definitions: ActionDefinitions): ActionRegistry {
  const actions = new Map(Object.entries({ ...legacyActions, ...definitions }));
  const schemas = new Map([...actions].map(([kind, { fields }]) => [kind, z.object(fields)]));
  return {
    parse(kept) {
      const { kind } = kindOnly.safeParse(kept).data ?? {};
      const fields = kind === undefined ? undefined : schemas.get(kind)?.safeParse(kept).data;
      return fields && ({ ...fields, kind } as Choice);
    },
    audienceOf: (kind) => actions.get(kind)?.audience ?? 'person',
    fieldsOf: (kind) => actions.get(kind)?.fields ?? {},
    kinds: [...actions.keys()] as ChoiceKind[],
  };
}
