import { InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardMarkup, MessageEntity } from 'grammy/types';
import type { GeneratedImage } from '../../../core/generation/index.ts';
import { convertImage, type Image, limitImage } from '../../../core/images/index.ts';
import { type GrammySignal, toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import type { ImageJob } from './image-jobs.ts';
import { texts } from './texts.ts';
import { toResultKeyboard } from './views.ts';

/** Generated images of one request. */
interface DrawnImages {
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
type Delivery = 'delivered' | 'unclear' | 'refused';

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

/** Telegram's limit in UTF-16 units. */
const MAX_CAPTION = 1024;

/** Caption of an image. */
interface ImageCaption {
  readonly caption: string;
  readonly caption_entities: MessageEntity[];
}

/**
 * Returns the prompt, cut to fit, and a line of details. Both are formatted as code: Telegram detects no commands,
 * names or links there, and a tap copies the prompt.
 */
function toImageCaption(prompt: string, details: readonly string[]): ImageCaption {
  const line = details.join(' · ');
  const words = cutText(prompt, MAX_CAPTION - line.length - 1);
  const entity = (offset: number, length: number): MessageEntity => ({ type: 'code', offset, length });
  const entities = [entity(0, words.length), entity(words.length + 1, line.length)];
  return { caption: `${words}\n${line}`, caption_entities: entities.filter(({ length }) => length > 0) };
}

/** Formats seeds in their order, with consecutive ones as a range: `7–10`, `7, 12`. */
function toSeedList(seeds: readonly number[]): string {
  const runs: { readonly first: number; last: number }[] = [];
  for (const seed of seeds) {
    const run = runs.at(-1);
    if (run && seed === run.last + 1) run.last = seed;
    else runs.push({ first: seed, last: seed });
  }
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

/** Cuts a text to `maxLength` UTF-16 units without splitting a grapheme. */
function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    if (kept.length + segment.length > maxLength - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Image file with a name. */
export type NamedImage = Pick<Image, 'bytes' | 'format'> & { readonly name: string };

const MB = 1024 * 1024;
/** Telegram's limit for one upload to its hosted server is 50 MB; the rest is for the other form fields. */
export const MAX_UPLOAD_BYTES = 49 * MB;
/** Limits of `sendPhoto`: 10 MB, a sum of sides of 10 000, and a ratio of sides of 20. */
const PHOTO_LIMITS = { maxBytes: 10 * MB - 4096, maxSideSum: 10_000, maxRatio: 20 };

/** Converts the image to a form that Telegram accepts as photo, one of `count` in the same upload. */
async function toPhotoFile(image: Image & NamedImage, count = 1): Promise<InputFile> {
  const maxBytes = Math.min(PHOTO_LIMITS.maxBytes, Math.floor(MAX_UPLOAD_BYTES / count));
  // Telegram shows some WebP files as stickers.
  const common = image.format === 'webp' ? await convertImage(image, 'jpeg') : image;
  const limited = await limitImage(common, { ...PHOTO_LIMITS, maxBytes });
  return toFile({ ...image, ...limited });
}

export function toFile({ bytes, format, name }: NamedImage): InputFile {
  return new InputFile(bytes, `${name}.${format === 'jpeg' ? 'jpg' : format}`);
}

const MAX_NAME_CHARACTERS = 40;

/** Returns a file name without extension from the prompt's first words. `number` distinguishes several images. */
export function toImageName(prompt: string, number?: number): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    if ([...name, '-', ...word].length > MAX_NAME_CHARACTERS) break;
    name += name === '' ? word : `-${word}`;
  }
  return [name || 'picture', ...(number === undefined ? [] : [number])].join('-');
}
