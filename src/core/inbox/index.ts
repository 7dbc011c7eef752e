export { type Arrivals, createArrivals } from './arrivals.ts';
export { ChatLeases, ChatLostError } from './chat-leases.ts';
export { createInbox, type Inbox, type InboxOptions, type WaitingUpdates } from './inbox.ts';
export { countWorkers, type IncomingUpdate } from './update-store.ts';
