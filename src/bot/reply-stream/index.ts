export type { DeliveryStep } from './delivery-step.ts';
export { PageDelivery } from './page-delivery.ts';
export { createRichSupport, NO_RICH_MESSAGES, type RichSupport } from './page-formats.ts';
export { createPagePlanner, type RenderedPage, type ReplyPreface } from './page-plan.ts';
export { withStatus } from './page-status.ts';
export {
  ReplyStream,
  type ReplyStreamOptions,
  ReplyUndeliverableError,
} from './reply-stream.ts';
export type { PageWithButtons, ReplyTarget, ReplyTransport } from './reply-transport.ts';
