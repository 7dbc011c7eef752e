export type { ReplyPreface } from './page-plan.ts';
export {
  createReplyStream,
  type ReplyStream,
  type ReplyStreamOptions,
  ReplyUndeliverableError,
} from './reply-stream.ts';
export type { ReplyTarget } from './reply-transport.ts';
export { createRichSupport, type RichSupport } from './rich-support.ts';
