export type { Broadcast } from './announcement.ts';
export { type Broadcasts, createBroadcasts } from './announcements.ts';
export {
  type BroadcastSender,
  type BroadcastTransport,
  createBroadcastSender,
  type SendOutcome,
} from './send-announcements.ts';
