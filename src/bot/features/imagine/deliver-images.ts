import { InputMediaBuilder } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import type { GeneratedImage } from '../../../core/generation/index.ts';
import { type GrammySignal, toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { type ImageCaption, toImageCaption, toSeedList } from './image-caption.ts';
import { MAX_UPLOAD_BYTES, type NamedImage, toFile, toImageName, toPhotoFile } from './image-file.ts';
import type { ImageJob } from './image-job.ts';
import { toResultKeyboard } from './image-views.ts';
import { texts } from './texts.ts';

/** Generated images of one request. */
export interface DrawnImages {
  /** Not empty. */
  readonly images: readonly GeneratedImage[];
  /** Empty if the images could not be stored. */
  readonly imageIds: readonly number[];
  readonly ratio: string;
}

/**
 * `unclear`: Telegram may have accepted them. `refused`: Telegram accepts them in no form, or the chat is not
 * reachable.
 */
export type Delivery = 'delivered' | 'unclear' | 'refused';

/**
 * Sends the images of a request: one as a photo with buttons, several as an album with the buttons in a message below.
 * Images that Telegram refuses as photos are sent as documents. A send with an unclear result is not repeated: the user
 * can request a missing image again, but a duplicate can't be undone.
 */
export async function deliverImages(
  services: BotServices,
  job: ImageJob,
  drawn: DrawnImages,
  deliverySignal: AbortSignal,
): Promise<Delivery> {
  const album = drawn.images.map((image, index) => ({
    ...image,
    name: toImageName(job.options.prompt, drawn.images.length > 1 ? index + 1 : undefined),
  }));
  const keyboard = await toResultKeyboard(services, { ...job, chatId: job.chatTopic.chatId }, drawn.imageIds);
  const sending: Sending = { services, job, signal: toGrammySignal(deliverySignal) };
  const caption = toCaption(job, drawn);
  const [only] = album;
  try {
    if (only && album.length === 1) {
      await sendOne(sending, only, caption, keyboard);
      return 'delivered';
    }
    const lastMessageId = await sendAlbum(sending, album, caption);
    await sendButtons(sending, album.length, lastMessageId, keyboard);
    return 'delivered';
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'foreign') throw error;
    services.logger.warn({ err: error, imageJobId: job.imageJobId }, 'images could not be delivered');
    return kind === 'unclear' || kind === 'aborted' ? 'unclear' : 'refused';
  }
}

interface Sending {
  readonly services: BotServices;
  readonly job: ImageJob;
  readonly signal: GrammySignal;
}

type NamedGeneratedImage = GeneratedImage & NamedImage;

function toCaption({ options, texts: { locale } }: ImageJob, { images, ratio }: DrawnImages): ImageCaption {
  const words = texts[locale];
  const seeds = images.flatMap(({ seed }) => (seed === undefined ? [] : [seed]));
  const requestedCount = options.count ?? 1;
  return toImageCaption(options.prompt, [
    options.model,
    ratio,
    ...(seeds.length > 0 ? [words.seeds(seeds.length, toSeedList(seeds))] : []),
    ...(images.length < requestedCount ? [words.fewer(images.length, requestedCount)] : []),
  ]);
}

/** @returns the message id. */
async function sendOne(
  { services, job, signal }: Sending,
  image: NamedGeneratedImage,
  caption: Partial<ImageCaption>,
  keyboard?: InlineKeyboardMarkup,
): Promise<number> {
  const api = services.client.withPriority('final');
  const sendOptions = {
    ...caption,
    ...(keyboard && { reply_markup: keyboard }),
    ...toSendOptions(job.chatTopic, job.options.replyTo),
  };
  try {
    const sent = await api.sendPhoto(job.chatTopic.chatId, await toPhotoFile(image), sendOptions, signal);
    return sent.message_id;
  } catch (error) {
    if (!isRefusal(error) || image.bytes.length > MAX_UPLOAD_BYTES) throw error;
    services.logger.warn(
      { err: error, imageJobId: job.imageJobId },
      'an image is sent as a document instead of a photo',
    );
    const asFile = { ...sendOptions, disable_content_type_detection: true };
    return (await api.sendDocument(job.chatTopic.chatId, toFile(image), asFile, signal)).message_id;
  }
}

/** @returns the id of the last message. */
async function sendAlbum(
  sending: Sending,
  album: readonly NamedGeneratedImage[],
  caption: ImageCaption,
): Promise<number> {
  const { services, job, signal } = sending;
  try {
    const media = [];
    for (const [index, image] of album.entries()) {
      const file = await toPhotoFile(image, album.length);
      media.push(InputMediaBuilder.photo(file, index === 0 ? caption : {}));
    }
    const api = services.client.withPriority('final');
    const sendOptions = toSendOptions(job.chatTopic, job.options.replyTo);
    const sent = await api.sendMediaGroup(job.chatTopic.chatId, media, sendOptions, signal);
    return sent.at(-1)?.message_id ?? 0;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    services.logger.warn({ err: error, imageJobId: job.imageJobId }, 'an album is sent as single messages');
  }
  const ids: number[] = [];
  for (const image of album) ids.push(await sendOne(sending, image, ids.length === 0 ? caption : {}));
  return ids.at(-1) ?? 0;
}

/**
 * Sends the buttons of an album, as a reply to its last image: albums have no buttons, and that image has no caption
 * that the reply would quote. Failures are logged only.
 */
async function sendButtons(
  { services, job, signal }: Sending,
  count: number,
  lastMessageId: number,
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  const sendOptions = { reply_markup: keyboard, ...toSendOptions(job.chatTopic, lastMessageId) };
  const api = services.client.withPriority('final');
  await api
    .sendMessage(job.chatTopic.chatId, texts[job.texts.locale].album(count), sendOptions, signal)
    .catch((error: unknown) => {
      services.logger.warn({ err: error, imageJobId: job.imageJobId }, 'the buttons of an album could not be sent');
    });
}

/**
 * Returns whether Telegram would refuse the same call again. Failures to convert an image to a photo count as refusals.
 */
function isRefusal(error: unknown): boolean {
  const { kind } = classifyTelegramError(error);
  return kind === 'rejected' || kind === 'foreign';
}
