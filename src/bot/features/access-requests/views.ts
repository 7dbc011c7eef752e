import { type AccessRequest, listUserPlans } from '../../../core/administration/index.ts';
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
  /** Account whose request it shows; null if nothing is open. */
  readonly shownTelegramId: number | null;
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
  /**
   * Account whose request is shown. Default: the oldest. If it is not open any more, no other one takes its place, or a
   * press would decide about an account that the admin has not read.
   */
  readonly telegramId?: number | undefined;
}

const MAX_DECIDED = 5;
const MAX_NAMES = 10;

/** Reads the decisions since a time. @param open the open requests, which are the same for all admins. */
export async function readRequests(
  { accessRequests }: BotServices,
  since: Date,
  open: RequestsState['open'],
): Promise<RequestsState> {
  return { open, decided: (await accessRequests.listDecided(since, MAX_DECIDED)).toReversed() };
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
  const [oldest, ...later] = state.open;
  const decided = await describeDecisions(services, state, wanted);
  if (!oldest)
    return {
      ...{ text: [...decided, '', words.none].join('\n').trim(), rows: [], hasOpen: false, shownTelegramId: null },
    };
  const open = [oldest, ...later];
  const { telegramId: shownTelegramId = oldest.telegramId } = wanted;
  const request = open.find(({ telegramId }) => telegramId === shownTelegramId);
  const others = open.filter(({ telegramId }) => telegramId !== shownTelegramId);
  const names = others.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = others.length > MAX_NAMES ? ', …' : '';
  const parts = [
    ...(decided.length > 0 ? [decided.join('\n')] : []),
    ...(request ? [words.asks(request.name, `${request.telegramId}`)] : []),
    ...(others.length > 0 ? [words.others(others.length, `${names.join(', ')}${more}`)] : []),
  ];
  const rows = request ? toRows(services, wanted.locale, request, open) : [[toNextButton(wanted.locale, oldest)]];
  return { text: parts.join('\n\n'), rows, hasOpen: true, shownTelegramId };
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

function toNextButton(locale: Locale, { telegramId }: AccessRequest): ActionButton {
  return { text: texts[locale].buttons.next, action: { kind: 'show-access-request', telegramId } };
}

function toRows(
  services: BotServices,
  locale: Locale,
  request: AccessRequest,
  open: readonly AccessRequest[],
): readonly (readonly ActionButton[])[] {
  const { buttons } = texts[locale];
  const { telegramId } = request;
  const next = open[(open.indexOf(request) + 1) % open.length] ?? request;
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
          toNextButton(locale, next),
          {
            text: buttons.ignoreAll(open.length),
            action: { kind: 'ignore-access-requests', telegramIds: open.map((one) => one.telegramId) },
          },
        ],
  ];
}

/** Lists the plans that a new user can be put on, the default first. */
export function listPlans({ limits }: BotServices): readonly string[] {
  return listUserPlans(limits.planNames);
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
