import type { AccessRequest } from '../../../core/administration/index.ts';
import { hashSecret } from '../../../lib/ids.ts';
import type { Locale } from '../../../texts/locale.ts';
import { findAccountName } from '../../kit/account-names.ts';
import type { ActionButton } from '../../kit/keyboards.ts';
import { toPairs } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';

/** Requests as an admin sees them: one with its buttons, the names of the others, and the latest decisions. */
export interface RequestsView {
  readonly text: string;
  readonly rows: readonly (readonly ActionButton[])[];
  readonly hasOpen: boolean;
}

/** Open requests and the latest decisions. */
export interface RequestsState {
  readonly open: readonly AccessRequest[];
  readonly decided: readonly AccessRequest[];
}

interface Wanted {
  readonly locale: Locale;
  /** Telegram id of the admin. */
  readonly adminTelegramId: number;
  /** Account whose request is shown. Default: the oldest. */
  readonly telegramId?: number | undefined;
}

const MAX_DECIDED = 5;
const MAX_NAMES = 10;

/** Reads the open requests, and the decisions since a time. */
export async function readRequests({ accessRequests }: BotServices, since: Date): Promise<RequestsState> {
  const decided = (await accessRequests.listDecided(since, MAX_DECIDED)).toReversed();
  return { open: await accessRequests.listOpen(), decided };
}

/** Returns a hash of what a message would show, without names and calls of Telegram. */
export function toFingerprint({ open, decided }: RequestsState, locale: Locale): string {
  const facts = [...decided, ...open].map(({ telegramId, name, state, decidedBy }) => [
    ...[telegramId, name, state, decidedBy],
  ]);
  return hashSecret(JSON.stringify([locale, facts]));
}

/** Returns the message to an admin. */
export async function toRequestsView(
  services: BotServices,
  state: RequestsState,
  wanted: Wanted,
): Promise<RequestsView> {
  const words = texts[wanted.locale];
  const { open } = state;
  const decided = await describeDecisions(services, state, wanted);
  const request = open.find(({ telegramId }) => telegramId === wanted.telegramId) ?? open[0];
  if (!request) return { text: [...decided, '', words.none].join('\n').trim(), rows: [], hasOpen: false };
  const others = open.filter(({ telegramId }) => telegramId !== request.telegramId);
  const names = others.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = others.length > MAX_NAMES ? ', …' : '';
  const parts = [
    ...(decided.length > 0 ? [decided.join('\n')] : []),
    words.asks(request.name, `${request.telegramId}`),
    ...(others.length > 0 ? [words.others(others.length, `${names.join(', ')}${more}`)] : []),
  ];
  return { text: parts.join('\n\n'), rows: toRows(services, wanted.locale, request, open), hasOpen: true };
}

async function describeDecisions(
  services: BotServices,
  { decided }: RequestsState,
  { locale, adminTelegramId }: Wanted,
) {
  const words = texts[locale];
  return Promise.all(
    decided.flatMap(({ state, name, decidedBy = 0 }) => {
      if (state === 'open') return [];
      const admin = decidedBy === adminTelegramId ? words.you : findAccountName(services, decidedBy);
      return [Promise.resolve(admin).then((by) => words.decided[state](name, by))];
    }),
  );
}

function toRows(
  services: BotServices,
  locale: Locale,
  { telegramId }: AccessRequest,
  open: readonly AccessRequest[],
): readonly (readonly ActionButton[])[] {
  const { buttons } = texts[locale];
  const position = open.findIndex((one) => one.telegramId === telegramId);
  const next = open[(position + 1) % open.length]?.telegramId ?? telegramId;
  const decide = (decision: 'allow' | 'ignore' | 'block') => ({ kind: 'decide-access', telegramId, decision }) as const;
  const withPlan: ActionButton[] =
    listPlans(services).length < 2
      ? []
      : [{ text: buttons.allowWithPlan, action: { kind: 'choose-access-plan', telegramId } }];
  return [
    [{ text: buttons.allow, action: decide('allow') }, ...withPlan],
    [
      { text: buttons.ignore, action: decide('ignore') },
      { text: buttons.block, action: decide('block') },
    ],
    open.length < 2
      ? []
      : [
          { text: buttons.next, action: { kind: 'show-access-request', telegramId: next } },
          { text: buttons.ignoreAll(open.length), action: { kind: 'ignore-access-requests' } },
        ],
  ];
}

/** Plans of the providers file that are not for users. */
const OTHER_PLANS: ReadonlySet<string> = new Set(['admin', 'group', 'universal']);

/** Lists the plans that a new user can be put on, the default first. */
export function listPlans({ limits }: BotServices): readonly string[] {
  return ['free', ...limits.planNames.filter((name) => name !== 'free' && !OTHER_PLANS.has(name))];
}

/** Returns the buttons that allow an account with each of the plans. */
export function toPlanRows(
  services: BotServices,
  telegramId: number,
  back: string,
): readonly (readonly ActionButton[])[] {
  const plans = listPlans(services).slice(0, MAX_PLANS);
  return [
    ...toPairs(
      plans.map(
        (plan): ActionButton => ({
          text: plan,
          action: { kind: 'decide-access', telegramId, decision: 'allow', plan },
        }),
      ),
    ),
    [{ text: back, action: { kind: 'show-access-request', telegramId } }],
  ];
}

const MAX_PLANS = 20;
