export { type Arrivals, createArrivals } from './arrivals.ts';
export { createInbox, type Inbox, type InboxOptions } from './inbox.ts';
export type { IncomingUpdate } from './update-store.ts';
