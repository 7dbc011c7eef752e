import type { FastifyPluginAsync } from 'fastify';
import { createBotApiPlugin } from './bot-api/bot-api-plugin.ts';
import { createCallLog } from './bot-api/call-log.ts';
import { answerDirectCall, type DirectCall } from './bot-api/create-call.ts';
import { createFaults } from './bot-api/faults.ts';
import { createFloodLimits } from './bot-api/flood-limits.ts';
import type { Outcome } from './bot-api/outcome.ts';
import { createUploadPacing } from './bot-api/upload-pacing.ts';
import { type Control, createControl } from './control/control.ts';
import { createPlaygroundPlugin } from './control/playground-plugin.ts';
import { createWorld, type WorldOptions } from './world/create-world.ts';
import { restoreSnapshot, takeSnapshot, type WorldSnapshot } from './world/snapshot.ts';

export interface SimulatorOptions extends WorldOptions {
  /** `telegram` enables flood control and upload pacing like Telegram's. Default `off`. */
  readonly limits?: 'telegram' | 'off' | undefined;
  /** State of an earlier simulator with the same bots. */
  readonly snapshot?: WorldSnapshot | undefined;
  /** Icon of the page, an SVG image. Default: a paper plane. */
  readonly icon?: string | undefined;
}

/** Simulated Telegram in memory: the Bot API for bots, and a control API that acts for users. */
export interface Simulator {
  /** Bot API: `/bot<token>/<method>`, `/file/bot<token>/<path>`. */
  readonly botApi: FastifyPluginAsync;
  /** Bot API in process, without uploads, for tests with a fake clock that network I/O would not advance. */
  readonly answer: (call: DirectCall) => Promise<Outcome>;
  /** Chat page and control routes, see `control-protocol.ts`. For loopback addresses only. */
  readonly playground: FastifyPluginAsync;
  /** Control API in process, for tests. */
  readonly control: Control;
  /** Returns the state that survives a restart. */
  takeSnapshot(): WorldSnapshot;
  /** Calls `listener` after every change of that state. */
  onChange(listener: () => void): void;
  /** Ends all pending work: polls, event streams, webhooks, timers. */
  close(): void;
}

const KEPT_CALLS = 2000;

/** Creates a simulator with the given bots and no users. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const closing = new AbortController();
  const world = createWorld(options, closing.signal);
  if (options.snapshot) restoreSnapshot(world, options.snapshot);
  const faults = createFaults();
  const callLog = createCallLog(KEPT_CALLS);
  const isLimited = options.limits === 'telegram';
  const control = createControl({ world, faults, callLog });
  const botApiDeps = {
    world,
    faults,
    callLog,
    floodLimits: isLimited ? createFloodLimits(world.clock) : undefined,
    uploadPacing: isLimited ? createUploadPacing(world.clock) : undefined,
  };
  return {
    botApi: createBotApiPlugin(botApiDeps),
    answer: (call) => answerDirectCall(botApiDeps, call),
    playground: createPlaygroundPlugin({ world, control }, options.icon),
    control,
    takeSnapshot: () => takeSnapshot(world),
    onChange: (listener) => void world.events.subscribe(listener),
    close() {
      closing.abort(new Error('the simulator is closed'));
      for (const chat of world.chats.values()) for (const draft of chat.drafts.values()) draft.cancelTimer();
    },
  };
}
