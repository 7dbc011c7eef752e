import { z } from 'zod';
import { renameFormerFields } from './former-fields.ts';

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
export type CallbackActionOf<Kind extends CallbackActionKind> = Extract<CallbackAction, { kind: Kind }>;

const kindOnly = z.object({ kind: z.string() });

/** Registry of all callback actions. */
export interface ActionRegistry {
  /** Parses a stored callback action. @returns undefined if this version does not support it */
  parse(kept: unknown): CallbackAction | undefined;
  accessOf(kind: CallbackActionKind): ActionAccess;
  fieldsOf(kind: CallbackActionKind): z.ZodRawShape;
  /** All kinds, for tests of each of them. */
  readonly kinds: readonly CallbackActionKind[];
}

/** @throws if two features define the same kind. */
export function createActionRegistry(features: readonly ActionDefinitions[]): ActionRegistry {
  const actions = new Map<string, ActionDefinition>();
  for (const [kind, definition] of features.flatMap((definitions) => Object.entries(definitions))) {
    if (actions.has(kind)) throw new Error(`two features define the action '${kind}'`);
    actions.set(kind, definition);
  }
  const schemas = new Map([...actions].map(([kind, { fields }]) => [kind, z.object(fields)]));
  return {
    parse(kept) {
      const { kind } = kindOnly.safeParse(kept).data ?? {};
      const fields = kind === undefined ? undefined : schemas.get(kind)?.safeParse(renameFormerFields(kept)).data;
      return fields && ({ ...fields, kind } as CallbackAction);
    },
    accessOf: (kind) => actions.get(kind)?.access ?? 'user',
    fieldsOf: (kind) => actions.get(kind)?.fields ?? {},
    kinds: [...actions.keys()] as CallbackActionKind[],
  };
}
