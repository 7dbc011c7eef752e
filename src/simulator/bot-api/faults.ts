import type { Fault, FaultKind } from '../control-protocol.ts';
import { type Params, readString } from './params.ts';

/** Faults that wait for calls to hit. */
export interface Faults {
  inject(fault: Fault): void;
  clear(): void;
  /** The fault that hits this call, counted down. Undefined for most. */
  take(method: string, params: Params): FaultKind | undefined;
}

interface ArmedFault {
  readonly fault: Fault;
  skip: number;
  times: number;
}

const MOST_FAULTS = 1000;

/** Faults hit in the order in which they were injected; each call is hit by one at most. */
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
      for (const entry of armed) {
        if (!isHit(entry.fault, method, params)) continue;
        if (entry.skip > 0) {
          entry.skip--;
          continue;
        }
        entry.times--;
        armed = armed.filter(({ times }) => times > 0);
        return entry.fault.kind;
      }
      return undefined;
    },
  };
}

function isHit(fault: Fault, method: string, params: Params): boolean {
  // Downloads are no calls: they have faults of their own.
  if ((fault.method !== '*' || method === 'file') && fault.method.toLowerCase() !== method.toLowerCase()) return false;
  return Object.entries(fault.match ?? {}).every(([name, value]) => readString(params, name) === String(value));
}
