export type { Broadcast, BroadcastCounts } from './broadcast.ts';
export { type Broadcasts, createBroadcasts, readCounts } from './broadcasts.ts';
export {
  type BroadcastSender,
  type BroadcastTransport,
  createBroadcastSender,
  type SendOutcome,
} from './send-broadcasts.ts';
