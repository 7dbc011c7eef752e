import type { BotContext } from '../kit/context.ts';

/** Returns the notice that admins chose the model of the group; undefined where each user chooses. */
export function findGroupModelNotice({ group, texts }: BotContext) {
  const model = group?.settings.model;
  return model === undefined ? undefined : { hint: texts.models.isSet(model), isAlert: true };
}
