/**
 * Summarizes a CPU profile written by `--profile FOLDER` by part of Switchboard, and draws a flame graph:
 *
 *   node bench/gateway/explain-profile.ts FILE.cpuprofile [--skip SECONDS] [--svg FILE.svg]
 *
 * `--skip` ignores the beginning: the start of the program, and the rounds before the code is compiled.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Format of V8; times are in microseconds. */
interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A frame of the flame graph. */
interface Flame {
  readonly name: string;
  time: number;
  readonly children: Map<string, Flame>;
}

/** The part nearest to the top of a stack is charged for the work that Node does for it. */
const PARTS: readonly (readonly [name: string, places: RegExp])[] = [
  ['embedded database', /pglite/],
  ['limits', /src\/core\/limits\//],
  [
    'keys and who is calling',
    /src\/http\/authenticate|src\/core\/accounts\/(?:accounts|key-)|ipaddr|src\/lib\/(?:ids|network)/,
  ],
  ['usage and the way to the database', /src\/core\/accounts\/|drizzle-orm|node_modules\/postgres\//],
  ['log', /node_modules\/pino|@pinojs|src\/lib\/log|src\/http\/request-log/],
  ['metrics', /prom-client|src\/telemetry|src\/lib\/observer/],
  ['checks of the request', /src\/http\/(?:json-body|api\/check-fields)|node_modules\/zod|src\/lib\/json/],
  ['dialect', /src\/http\/api\/(?:chat-completions|responses|messages)\//],
  ['provider: routing and answer', /src\/core\//],
  ['provider: HTTP client', /node_modules\/undici|src\/lib\/(?:http-client|large-body)/],
  ['HTTP server', /fastify|find-my-way|src\/http\/|node:_http_(?:server|outgoing|common|incoming)/],
];

const WIDTH = 1200;
const ROW = 16;
const MAX_DEPTH = 40;
const COLOURS = [
  '#e4a35a',
  '#d9855f',
  '#c9a94f',
  '#8fae62',
  '#62a699',
  '#6f93c0',
  '#9a86bd',
  '#bd7f9f',
  '#a39a8c',
  '#b8b04e',
  '#79a4b3',
  '#c08a72',
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { skip: { type: 'string', default: '10' }, svg: { type: 'string' } },
});
const stacks = readStacks(
  JSON.parse(readFileSync(positionals[0] ?? '', 'utf8')) as Profile,
  Number(options.skip) * 1e6,
);
console.log(describeParts(stacks));
if (options.svg) writeFileSync(options.svg, drawFlames(stacks));

/** Returns the time of each stack with activity, outermost frame first. */
function readStacks({ nodes, samples, timeDeltas }: Profile, skip: number) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const times = new Map<number, number>();
  let now = 0;
  for (const [at, id] of samples.entries()) {
    const delta = timeDeltas[at] ?? 0;
    now += delta;
    if (now >= skip) times.set(id, (times.get(id) ?? 0) + delta);
  }
  return [...times].flatMap(([id, time]) => {
    const frames: ProfileNode['callFrame'][] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame && frame.functionName !== '(root)') frames.unshift(frame);
    }
    return frames.at(-1)?.functionName === '(idle)' ? [] : [{ frames, time, part: findPart(frames) }];
  });
}

function findPart(frames: readonly ProfileNode['callFrame'][]): string {
  const last = frames.at(-1)?.functionName;
  if (last === '(garbage collector)') return 'garbage collection';
  for (const { url } of frames.toReversed()) {
    const part = PARTS.find(([, places]) => places.test(url));
    if (part) return part[0];
  }
  return 'Node itself: sockets, timers, promises';
}

function describeParts(all: ReturnType<typeof readStacks>): string {
  const total = all.reduce((sum, { time }) => sum + time, 0);
  const parts = Map.groupBy(all, ({ part }) => part);
  const shares = [...parts].map(([name, of]) => ({ name, share: of.reduce((sum, { time }) => sum + time, 0) / total }));
  const rows = shares
    .sort((one, other) => other.share - one.share)
    .map(({ name, share }) => `| ${name} | ${(100 * share).toFixed(1)} % |`);
  return ['| part | share of CPU time |', '| --- | --- |', ...rows].join('\n');
}

/** Groups by part, then by call path inside the project and its packages. */
function drawFlames(all: ReturnType<typeof readStacks>): string {
  const root: Flame = { name: 'all', time: 0, children: new Map() };
  for (const { frames, time, part } of all) {
    const names = frames.flatMap(({ functionName, url }) =>
      /^file:|node_modules/.test(url) ? [functionName || 'anonymous'] : [],
    );
    let flame = root;
    flame.time += time;
    for (const name of [part, ...names].slice(0, MAX_DEPTH)) {
      const child: Flame = flame.children.get(name) ?? { name, time: 0, children: new Map() };
      flame.children.set(name, child);
      child.time += time;
      flame = child;
    }
  }
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (flame: Flame, x: number, depth: number, colour: string) => {
    const width = (flame.time / root.time) * WIDTH;
    if (width < 1.5) return;
    deepest = Math.max(deepest, depth);
    const title = escapeXml(`${flame.name}, ${((100 * flame.time) / root.time).toFixed(1)} %`);
    const label = escapeXml(flame.name.slice(0, Math.floor(width / 6.5)));
    boxes.push(
      `<g><title>${title}</title><rect x="${x.toFixed(1)}" y="${depth * ROW}" width="${Math.max(1, width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colour}"/><text x="${(x + 3).toFixed(1)}" y="${depth * ROW + 11}">${label}</text></g>`,
    );
    let left = x;
    for (const [index, child] of [...flame.children.values()].sort((one, other) => other.time - one.time).entries()) {
      draw(child, left, depth + 1, depth === 0 ? (COLOURS[index % COLOURS.length] ?? colour) : colour);
      left += (child.time / root.time) * WIDTH;
    }
  };
  draw(root, 0, 0, '#cccccc');
  const height = (deepest + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="10">\n<title>Which part of Switchboard takes how much CPU time</title>\n${boxes.join('\n')}\n</svg>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
