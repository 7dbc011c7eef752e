import type { Place } from '../../../core/conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { Texts } from '../../texts/locales.ts';
import type { PictureOrder } from './picture-order.ts';

/** What drawing and delivering take of the product. */
export type PictureServices = Pick<
  BotDeps,
  | 'accounts'
  | 'arrivals'
  | 'catalogue'
  | 'client'
  | 'clock'
  | 'conversations'
  | 'drawings'
  | 'groups'
  | 'images'
  | 'interactions'
  | 'limits'
  | 'logger'
>;

/** One order on its way from the wish to the pictures in the chat. */
export interface PictureJob {
  /** Its id in the database. */
  readonly drawingId: number;
  readonly userId: number;
  readonly place: Place;
  readonly texts: Texts;
  /** The topic in which "sending a photo" is shown: unlike sends it names a forum's General topic. */
  readonly actionTopicId: number | undefined;
  readonly order: PictureOrder & { readonly model: string };
  /** A message of the bot's that is to show how the work goes; undefined sends one. */
  readonly statusMessageId: number | undefined;
}

/** What every message of a job is sent with. */
export function toSendOptions(job: Pick<PictureJob, 'place'>, replyTo: number | undefined) {
  const { topicId } = job.place;
  return {
    ...(topicId === undefined ? {} : { message_thread_id: topicId }),
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}
