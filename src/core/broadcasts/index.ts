export type { Broadcast } from './broadcast.ts';
export { type Broadcasts, createBroadcasts } from './broadcasts.ts';
export {
  type BroadcastSender,
  type BroadcastTransport,
  createBroadcastSender,
  type SendOutcome,
} from './send-broadcasts.ts';
