import { type ChaosAnswer, createFormattedAnswer, createPlainAnswer, createShrinkingAnswer } from './answers.ts';
import { type ChaosRun, listFaultsOf, OUTAGES, type PlannedFault } from './faults.ts';

/** Answer with several faults, determined by the seed. */
export interface ChaosMix extends ChaosRun {
  readonly seed: number;
  readonly title: string;
}

/**
 * Returns the mixes for a suite. `CHAOS_RUNS=2000` sets their number, `CHAOS_SEED=17` selects a single one.
 * @param count used if the environment sets neither
 * @param pageUnits capacity of a page: answers have up to one and a half pages
 */
export function listMixes(count: number, pageUnits: number): ChaosMix[] {
  const { CHAOS_SEED: one, CHAOS_RUNS: wanted } = process.env;
  if (one !== undefined) return [mix(Number(one), pageUnits)];
  return Array.from({ length: wanted === undefined ? count : Number(wanted) }, (_, seed) => mix(seed, pageUnits));
}

const PLACES = ['private', 'private', 'group', 'supergroup', 'topic'] as const;

function mix(seed: number, pageUnits: number): ChaosMix {
  const random = createRandom(seed);
  const chatKind = random.pick(PLACES);
  const answer = mixAnswer(random, pageUnits);
  const writingMs = 2000 + random.below(9000);
  const faults = mixFaults(random);
  return { seed, title: `${chatKind}, ${describeFaults(faults)}`, chatKind, answer, writingMs, faults };
}

function mixAnswer(random: Random, pageUnits: number): ChaosAnswer {
  const length = Math.ceil((pageUnits * (10 + random.below(150))) / 100);
  switch (random.below(4)) {
    case 0:
      return createFormattedAnswer('Bob', length);
    case 1:
      return createShrinkingAnswer('Cleo', pageUnits);
    default:
      return createPlainAnswer('Ann', length);
  }
}

const METHODS = [
  'sendMessage',
  'editMessageText',
  'editMessageText',
  'deleteMessage',
  'sendChatAction',
  'stopMessageLiveLocation',
];
/** One in so many mixes has a user who blocks the bot; one in so many has an outage. */
const BLOCKED_EVERY = 8;
const OUTAGE_EVERY = 5;

function mixFaults(random: Random): PlannedFault[] {
  const faults: PlannedFault[] = [];
  if (random.below(BLOCKED_EVERY) === 0) faults.push(mixFault(random, ['bot blocked'], 1));
  if (random.below(OUTAGE_EVERY) === 0) {
    faults.push({ method: '*', skip: random.below(8), fault: random.pick(OUTAGES), times: 3 + random.below(10) });
  }
  const count = 1 + random.below(5);
  for (let n = 0; n < count; n++) faults.push(mixFault(random, undefined, 1 + random.below(3)));
  return faults;
}

function mixFault(random: Random, names: readonly PlannedFault['fault'][] | undefined, times: number): PlannedFault {
  const method = random.pick(METHODS);
  const skip = random.below(method === 'editMessageText' ? 12 : 3);
  const fault = random.pick(names ?? listFaultsOf(method).filter((name) => name !== 'bot blocked'));
  return { method, skip, fault, times };
}

function describeFaults(faults: readonly PlannedFault[]): string {
  return faults
    .map(({ fault, method, skip, times }) => `${fault} at ${method} ${skip}${times > 1 ? ` x${times}` : ''}`)
    .join(', ');
}

/** Random numbers determined by a seed. */
interface Random {
  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** Uses Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed;
  const below = (count: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new RangeError('there is nothing to pick from');
      return value;
    },
  };
}
