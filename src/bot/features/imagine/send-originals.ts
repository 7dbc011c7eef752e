import { InputMediaBuilder } from 'grammy';
import type { JobRefusal } from '../../../core/jobs/index.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { MAX_UPLOAD_BYTES, type NamedImage, toFile, toImageName } from './deliver-images.ts';
import { type ImageJob, imageKind } from './image-jobs.ts';
import { texts } from './texts.ts';

/** Request for the original files of images. */
export interface OriginalsOptions extends Pick<ImageJob, 'userId' | 'chatTopic' | 'texts' | 'typingTopicId'> {
  readonly imageIds: readonly number[];
  readonly prompt: string;
  /** Message whose button was pressed. */
  readonly replyTo: number;
}

const MB = 1024 * 1024;
/** Telegram's limit for an album of documents. */
const MAX_BATCH = 10;

/** Starts to send the original files. They are not recorded, so no other process would repeat that. */
export function startSendingOriginals(services: BotServices, originals: OriginalsOptions): 'started' | JobRefusal {
  const { userId, chatTopic, imageIds } = originals;
  const key = `originals:${userId}:${imageIds.join()}`;
  return services.jobs.start(imageKind, { key, userId, chatTopic, isStoppable: false }, ({ deliverySignal }) =>
    sendOriginals(services, originals, deliverySignal),
  );
}

/**
 * Sends images as their original files, in as few messages as Telegram allows. Never throws; failures are reported in
 * the chat.
 */
async function sendOriginals(
  services: BotServices,
  originals: OriginalsOptions,
  deliverySignal: AbortSignal,
): Promise<void> {
  const chatTopic = { chatId: originals.chatTopic.chatId, topicId: originals.typingTopicId };
  const stopAction = keepTyping(services, chatTopic, { action: 'upload_document' });
  try {
    let batch: NamedImage[] = [];
    for (const [index, id] of originals.imageIds.entries()) {
      const stored = await services.imageJobs.findImage(id);
      const number = originals.imageIds.length > 1 ? index + 1 : undefined;
      if (!stored) continue;
      if (stored.bytes.length > MAX_UPLOAD_BYTES) {
        await sendNotice(
          services,
          originals,
          texts[originals.texts.locale].fileTooLarge(Math.ceil(stored.bytes.length / MB)),
          deliverySignal,
        );
        continue;
      }
      const sizeBytes = batch.reduce((sum, { bytes }) => sum + bytes.length, stored.bytes.length);
      if (sizeBytes > MAX_UPLOAD_BYTES || batch.length === MAX_BATCH) {
        await sendBatch(services, originals, batch, deliverySignal);
        batch = [];
      }
      batch.push({ ...stored, name: toImageName(originals.prompt, number) });
    }
    await sendBatch(services, originals, batch, deliverySignal);
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    services.logger.warn({ err: error }, 'full-size images could not be sent');
    const isLost = ['blocked', 'topic-gone', 'aborted', 'dropped'].includes(kind);
    if (!isLost)
      await sendNotice(services, originals, texts[originals.texts.locale].fileFailed, deliverySignal).catch(() => {});
  } finally {
    stopAction();
  }
}

async function sendBatch(
  services: BotServices,
  originals: OriginalsOptions,
  batch: readonly NamedImage[],
  deliverySignal: AbortSignal,
): Promise<void> {
  const api = services.client.withPriority('final');
  const options = toSendOptions(originals.chatTopic, originals.replyTo);
  const signal = toGrammySignal(deliverySignal);
  const [only] = batch;
  if (!only) return;
  if (batch.length === 1) {
    const asFile = { ...options, disable_content_type_detection: true };
    await api.sendDocument(originals.chatTopic.chatId, toFile(only), asFile, signal);
    return;
  }
  const media = batch.map((image) => InputMediaBuilder.document(toFile(image)));
  await api.sendMediaGroup(originals.chatTopic.chatId, media, options, signal);
}

async function sendNotice(
  services: BotServices,
  originals: OriginalsOptions,
  text: string,
  deliverySignal: AbortSignal,
): Promise<void> {
  await services.client.api.sendMessage(
    originals.chatTopic.chatId,
    text,
    toSendOptions(originals.chatTopic, originals.replyTo),
    toGrammySignal(deliverySignal),
  );
}
