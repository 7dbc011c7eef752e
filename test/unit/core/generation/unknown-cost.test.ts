import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boundTranscriptCost } from '../../../../src/core/generation/metering/audio-bounds.ts';
import { recordAndSettle } from '../../../../src/core/generation/metering/reserve-and-settle.ts';
import type { Reservation } from '../../../../src/core/limits/index.ts';

import { createUsageEntry } from '../../../support/samples/usage-entry.ts';

describe('the bounds of a cost', () => {
  it('do not trust the duration that a recording states', () => {
    const bytes = readFileSync('test/fixtures/audio/tone.ogg');
    bytes.writeBigInt64LE(960n, bytes.lastIndexOf('OggS') + 6);
    expect(boundTranscriptCost(bytes, [{ audioMinute: 0.6 }])?.mostUsd).toBe(0.03);
  });
});

describe('a cost that is not known in the end', () => {
  const settle = (
    reservation: { readonly grantedUsd?: number; readonly unknownCostUsd?: number },
    costUsd?: number,
  ) => {
    const settled: Parameters<Reservation['settle']>[0][] = [];
    const usage = {
      record: (entry: object, write?: (row: { readonly [name: string]: unknown }) => void) => write?.({ ...entry }),
    };
    const use = { tokens: 1, images: 0 };
    const full = {
      quotas: undefined,
      settle: (real: (typeof settled)[number]) => void settled.push(real),
      ...reservation,
    };
    recordAndSettle(usage, full, createUsageEntry(1, { costUsd }), use);
    return settled[0];
  };

  it('is what was reserved, in the ledger and the counters, if a price was known before', () => {
    const reserved = { grantedUsd: 0.5, unknownCostUsd: 0.5 };
    expect(settle(reserved)).toMatchObject({ costUsd: 0.5, usage: { costUsd: 0.5 } });
    expect(settle(reserved, 0.2)).toMatchObject({ costUsd: 0.2, usage: { costUsd: 0.2 } });
    expect(settle(reserved, 0)).toMatchObject({ costUsd: 0 });
  });

  it('stays unknown if no price was known', () => {
    expect(settle({ grantedUsd: 1e-9 })?.costUsd).toBeUndefined();
  });
});
