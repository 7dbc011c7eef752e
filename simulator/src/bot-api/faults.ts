import type { Fault, FaultKind } from '../control-protocol.ts';
import { type Params, readString } from './params.ts';

/** Injected faults that have not been used up. */
export interface Faults {
  inject(fault: Fault): void;
  clear(): void;
  /** Returns the fault for this call and counts it down; undefined if none matches. */
  take(method: string, params: Params): FaultKind | undefined;
}

interface ArmedFault {
  readonly fault: Fault;
  skip: number;
  times: number;
}

const MOST_FAULTS = 1000;

/**
 * Faults apply in the order of injection. Each call triggers at most one, and counts as skipped for all other matching
 * faults.
 */
export function createFaults(): Faults {
  let armed: ArmedFault[] = [];
  return {
    inject(fault) {
      if (armed.length >= MOST_FAULTS) throw new RangeError('too many faults wait already');
      armed.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
    },
    clear() {
      armed = [];
    },
    take(method, params) {
      const aimed = armed.filter((entry) => isAimedAt(entry.fault, method, params));
      const hitting = aimed.find(({ skip }) => skip === 0);
      for (const entry of aimed) if (entry.skip > 0) entry.skip--;
      if (!hitting) return undefined;
      hitting.times--;
      armed = armed.filter(({ times }) => times > 0);
      return hitting.fault.kind;
    },
  };
}

function isAimedAt(fault: Fault, method: string, params: Params): boolean {
  // Downloads are not method calls, so `*` does not match them.
  if ((fault.method !== '*' || method === 'file') && fault.method.toLowerCase() !== method.toLowerCase()) return false;
  return Object.entries(fault.match ?? {}).every(([name, value]) => readString(params, name) === String(value));
}
