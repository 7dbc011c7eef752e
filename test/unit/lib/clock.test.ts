import { describe, expect, it } from 'vitest';
import { createSteadyTime } from '../../../src/lib/clock.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 21, 9);

/** A machine whose clock can be set. */
function createMachine() {
  let steady = 5000;
  let wall = START;
  return {
    now: createSteadyTime(
      () => wall,
      () => steady,
    ),
    pass(ms: number) {
      steady += ms;
      wall += ms;
    },
    setClock(byMs: number) {
      wall += byMs;
    },
    wall: () => wall,
  };
}

describe('the clock of the process', () => {
  it('shows the time of the machine', () => {
    const machine = createMachine();
    expect(machine.now()).toBe(START);
    machine.pass(1234);
    expect(machine.now()).toBe(START + 1234);
  });

  it("follows at once when the machine's clock is set forward, as after a sleep", () => {
    const machine = createMachine();
    machine.setClock(HOUR_MS);
    expect(machine.now()).toBe(START + HOUR_MS);
  });

  it("never goes back or stops when the machine's clock is set back, and catches up later", () => {
    const machine = createMachine();
    machine.pass(1000);
    let last = machine.now();
    machine.setClock(-HOUR_MS);
    for (let second = 0; second < 60; second++) {
      machine.pass(1000);
      const now = machine.now();
      expect(now - last).toBeGreaterThanOrEqual(899);
      last = now;
    }
    machine.pass(10 * HOUR_MS);
    expect(machine.now()).toBe(machine.wall());
    machine.pass(10);
    expect(machine.now()).toBe(machine.wall());
  });

  it('approaches the time of the machine however often it is read', () => {
    const machine = createMachine();
    machine.setClock(-1000);
    for (let step = 0; step < 100_000; step++) {
      machine.pass(0.11);
      machine.now();
    }
    expect(machine.now() - machine.wall()).toBeLessThanOrEqual(0);
  });
});
