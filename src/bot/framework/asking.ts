import type { User } from '../../core/accounts/index.ts';
import type { Place } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { Texts } from '../texts/locales.ts';

/** Who asks, where, and whom. */
export interface Asking {
  readonly user: User;
  readonly texts: Texts;
  readonly place: Place;
  readonly isGroup: boolean;
  /** Among comments each page replies to the one before. Default false. */
  readonly isInChain?: boolean;
  /** What its admins have chosen; undefined outside groups. */
  readonly group: Group | undefined;
  /** How the person is called in a group; undefined where that is not known any more. */
  readonly askerName?: string | undefined;
  /** The topic in which typing is shown: unlike sends it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly model: ModelEntry;
}
