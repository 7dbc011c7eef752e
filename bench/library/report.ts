import { median, percentile } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import type { Sample } from './measure.ts';
import { QUERY_KINDS } from './queries.ts';
import type { Recall } from './recall.ts';

/** Formats the durations of searches by kind of query. */
export function searchTable(samples: readonly Sample[], goalMs: number): string {
  const peers = [...new Set(samples.map(({ contestant }) => contestant))]
    .filter((name) => name !== 'library')
    .toSorted();
  const head = [
    'query',
    'median, ms',
    'p95, ms',
    `<= ${goalMs}`,
    'CPU: median, ms',
    'p95, ms',
    'blocks, ms',
    ...peers.flatMap((name) => [`${name}, ms`, 'ratio']),
  ];
  const rows = QUERY_KINDS.map(({ name: kind }) => {
    const of = (name: Contestant['name']) => samples.filter((one) => one.kind === kind && one.contestant === name);
    const own = of('library');
    const ms = own.map((sample) => sample.ms);
    const ratios = peers.flatMap((name) => toPeerCells(own, of(name)));
    const isMet = percentile(ms, 0.95) <= goalMs;
    const blockedMs = own.map((sample) => sample.blockedMs);
    const times = [median(ms), percentile(ms, 0.95)].map(toMs);
    const cpuMs = own.map((sample) => sample.cpuMs);
    const loads = [median(cpuMs), percentile(cpuMs, 0.95), percentile(blockedMs, 0.95)].map(toMs);
    return [kind, ...times, isMet ? 'met' : 'MISSED', ...loads, ...ratios];
  });
  return toTable([head, ...rows]);
}

/** Returns the median of a peer, and that of the ratios of the library's time to it within each round. */
function toPeerCells(own: readonly Sample[], peer: readonly Sample[]): readonly string[] {
  const ownMs = new Map(own.map(({ round, ms }) => [round, ms]));
  const ratios = peer.map(({ round, ms }) => (ownMs.get(round) ?? Number.NaN) / ms);
  return [toMs(median(peer.map(({ ms }) => ms))), median(ratios).toPrecision(2)];
}

/** Formats the recall of each contestant, one line for each set of questions. */
export function recallTable(
  rows: readonly { readonly name: string; readonly count: number; readonly recalls: readonly Recall[] }[],
): string {
  const names = rows[0]?.recalls.map(({ contestant }) => `${contestant}: of 5, 10`) ?? [];
  const lines = rows.map(({ name, count, recalls }) => [
    ...[name, String(count)],
    ...recalls.map(({ of5, of10 }) => `${toPercent(of5)}, ${toPercent(of10)}`),
  ]);
  return toTable([['queries', 'number', ...names], ...lines]);
}

function toTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toFixed(1);
}

function toPercent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
