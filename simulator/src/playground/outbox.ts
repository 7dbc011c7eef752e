import type { MessageEntity } from '@grammyjs/types';
import type { FileKind } from '../control-protocol.ts';
import { type Attachment, isPicture } from './attachments.tsx';
import * as control from './control-client.ts';
import type { Selection } from './selection.ts';
import type { State } from './state.ts';

const MAX_TEXT_LENGTH = 4096;

export type Outbox = ReturnType<typeof createOutbox>;

/** Sends the messages of the current user one at a time, to keep their order. */
export function createOutbox({
  state,
  selection,
  onSent,
  onError,
}: {
  state: State;
  selection: Selection;
  onSent: () => void;
  onError: (error: unknown) => void;
}) {
  let last: Promise<unknown> = Promise.resolve();

  const enqueue = (work: () => Promise<unknown>, onFailed?: () => void) => {
    last = last.then(work).then(onSent, (error) => {
      onFailed?.();
      onError(error);
    });
  };
  const place = () => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    return chat && me && { chat, from: me.id, topicId: selection.topicId };
  };

  return {
    enqueue,
    /**
     * Sends a text; texts over the limit become several messages. Commands in groups get the bot's name, as in
     * Telegram's apps.
     * @param options `entities` are dropped if the text is split
     */
    sendText(
      text: string,
      {
        replyTo,
        entities = [],
        onFailed,
      }: { replyTo?: number | undefined; entities?: readonly MessageEntity[]; onFailed?: () => void } = {},
    ) {
      const at = place();
      if (!at) return;
      const { chat, from, topicId } = at;
      const bot = state.current?.bot.username;
      const addressed = chat.type !== 'private' && /^\/[a-z0-9_]+$/i.test(text) ? `${text}@${bot}` : text;
      toParts(addressed).forEach((part, index) => {
        const formatting = part === text && entities.length > 0 ? { entities } : {};
        const reply = index === 0 && replyTo !== undefined ? { replyTo } : {};
        const topic = topicId === undefined ? {} : { topicId };
        enqueue(() => control.sendMessage(chat.id, { from, text: part, ...reply, ...topic, ...formatting }), onFailed);
      });
    },
    sendVoice(file: File, durationSeconds: number, replyTo: number | undefined) {
      const at = place();
      if (!at) return;
      const fields = {
        from: at.from,
        topicId: at.topicId,
        replyTo,
        kind: 'voice' as const,
        durationSeconds,
      };
      enqueue(() => control.sendFile(at.chat.id, fields, file));
    },
    /** Sends files; several become an album. */
    sendFiles(files: readonly Attachment[], caption: string, replyTo: number | undefined) {
      const at = place();
      if (!at) return;
      const { chat, from, topicId } = at;
      const mediaGroupId = files.length > 1 ? crypto.randomUUID() : undefined;
      files.forEach(({ file, isPhoto }, index) => {
        const kind: FileKind | undefined = isPhoto ? 'photo' : isPicture(file) ? 'document' : undefined;
        const fields = { from, topicId, replyTo, kind, mediaGroupId, caption: index === 0 ? caption : '' };
        enqueue(() => control.sendFile(chat.id, fields, file));
      });
    },
  };
}

/** Splits a text at a line break or space if possible. */
function toParts(text: string) {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MAX_TEXT_LENGTH) {
    const head = rest.slice(0, MAX_TEXT_LENGTH);
    const cut = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
    const end = cut > MAX_TEXT_LENGTH / 2 ? cut : MAX_TEXT_LENGTH - (/[\uD800-\uDBFF]$/.test(head) ? 1 : 0);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...parts, rest];
}
