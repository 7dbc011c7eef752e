import type { MiddlewareFn } from 'grammy';
import { z } from 'zod';
import { SetByAdminError } from '../../core/accounts/index.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import type { BotContext } from './context.ts';
import type { BotServices } from './services.ts';

/**
 * Users who may press a button: the user it was sent to; that user or an admin of the chat; the admins of the group;
 * all users; or the user of an inline message.
 */
export type ActionAccess = 'user' | 'user-or-admin' | 'group-admins' | 'everyone' | 'inline';

export interface ActionDefinition {
  /**
   * Stored as JSON in the database, and buttons stay in chats for weeks: fields that are added later must be optional.
   */
  readonly fields: z.ZodRawShape;
  /** Default `user`. */
  readonly access?: ActionAccess;
}

export type ActionDefinitions = Readonly<Record<string, ActionDefinition>>;

/** Callback actions of a feature, by kind. */
export type CallbackActionsOf<Definitions extends ActionDefinitions> = {
  readonly [Kind in keyof Definitions & string]: z.infer<
    z.ZodObject<Definitions[Kind]['fields'] & { kind: z.ZodLiteral<Kind> }>
  >;
};

/** Callback actions of all features. Each feature adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureActions {}

/** Callback action of a button: its kind and its fields. Stored as JSON in the database. */
export type CallbackAction = FeatureActions[keyof FeatureActions];
export type CallbackActionKind = CallbackAction['kind'];

const kindOnly = z.object({ kind: z.string() });

/** Registry of all callback actions. */
export type ActionRegistry = ReturnType<typeof createActionRegistry>;

/** @throws if two features define the same kind. */
export function createActionRegistry(features: readonly ActionDefinitions[]) {
  const actions = new Map<string, ActionDefinition>();
  for (const [kind, definition] of features.flatMap((definitions) => Object.entries(definitions))) {
    if (actions.has(kind)) throw new Error(`two features define the action '${kind}'`);
    actions.set(kind, definition);
  }
  const schemas = new Map([...actions].map(([kind, { fields }]) => [kind, z.object(fields)]));
  return {
    /** Parses a stored callback action. @returns undefined if this version does not support it */
    parse(stored: unknown): CallbackAction | undefined {
      const { kind } = kindOnly.safeParse(stored).data ?? {};
      const fields = kind === undefined ? undefined : schemas.get(kind)?.safeParse(renameFormerFields(stored)).data;
      return fields && ({ ...fields, kind } as CallbackAction);
    },
    accessOf: (kind: CallbackActionKind): ActionAccess => actions.get(kind)?.access ?? 'user',
    fieldsOf: (kind: CallbackActionKind): z.ZodRawShape => actions.get(kind)?.fields ?? {},
    /** All kinds, for tests of each of them. */
    kinds: [...actions.keys()] as CallbackActionKind[],
  };
}

/** Answer to a callback query. Telegram shows a spinner until it arrives, so slow work belongs in `afterwards`. */
export interface ActionAnswer {
  /** Short notice at the top of the screen; undefined only ends the spinner. */
  readonly hint?: string;
  /** Shows the hint as an alert that the user has to close. */
  readonly isAlert?: boolean;
  readonly afterwards?: () => Promise<unknown>;
}

export type CallbackActionOf<Kind extends CallbackActionKind> = Extract<CallbackAction, { kind: Kind }>;

/** Registers a handler for callback queries with one kind of action. */
export function onAction<Kind extends CallbackActionKind>(
  services: BotServices,
  kind: Kind,
  handle: (ctx: BotContext, action: CallbackActionOf<Kind>) => Promise<ActionAnswer> | ActionAnswer,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const action = ctx.action;
    if (!isOfKind(action, kind)) return next();
    const answer = await handleOrRefuse(ctx, () => handle(ctx, action));
    await answerAction(services, ctx, answer);
    await answer.afterwards?.();
  };
}

/** Calls the handler. The owner of a key gets an alert if an admin has set what the button changes. */
async function handleOrRefuse(ctx: BotContext, handle: () => Promise<ActionAnswer> | ActionAnswer) {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof SetByAdminError) return { hint: ctx.texts.setByAdmin, isAlert: true };
    throw error;
  }
}

/** Answers a callback query once. Errors are only logged: the query may have expired. */
export async function answerAction(services: BotServices, ctx: BotContext, answer: ActionAnswer) {
  if (ctx.isActionAnswered) return;
  ctx.isActionAnswered = true;
  const { hint, isAlert = false } = answer;
  try {
    await ctx.answerCallbackQuery(hint === undefined ? undefined : { text: hint, show_alert: isAlert });
  } catch (error) {
    services.logger.debug({ err: error }, 'a callback query could not be answered');
  }
}

function isOfKind<Kind extends CallbackActionKind>(
  action: BotContext['action'],
  kind: Kind,
): action is CallbackActionOf<Kind> {
  return action?.kind === kind;
}

/** Fields that JSON stored by versions before 0.2 has under another name. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  announcementId: 'broadcastId',
  drawingId: 'imageJobId',
  pictureId: 'imageId',
  pictureIds: 'imageIds',
  hasPictures: 'hasImages',
  personId: 'userId',
  threadId: 'conversationId',
};

/** Returns the stored object with the present names of its fields; anything else as it is. */
export function renameFormerFields(stored: unknown): unknown {
  if (!isJsonObject(stored)) return stored;
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [FORMER_NAMES[name] ?? name, value]));
}
