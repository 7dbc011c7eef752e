import type { MessageEntity } from '@grammyjs/types';
import { render } from 'preact';
import type { ChatMessage } from '../control-protocol.ts';
import { actionTarget } from './action-target.ts';
import { createAttachments } from './attachments.tsx';
import { byId } from './by-id.ts';
import * as control from './control-client.ts';
import { icon } from './icons.tsx';
import type { Outbox } from './outbox.ts';
import { createPopupList } from './popup-list.tsx';
import { createRecorder } from './recorder.tsx';
import { createReplyKeyboard } from './reply-keyboard.tsx';
import type { Selection } from './selection.ts';
import { messagesOf, type State } from './state.ts';
import { createSuggestions, MENTION } from './suggestions.tsx';
import { senderOf, summarize } from './summary.ts';
import { translate } from './texts.ts';

const MAX_HEIGHT_PX = 260;

export type Composer = ReturnType<typeof createComposer>;

/** Creates the input area: text, files, replies, edits, commands and the bot's reply keyboard. */
export function createComposer({
  state,
  selection,
  outbox,
  onError,
  onNotice,
}: {
  state: State;
  selection: Selection;
  outbox: Outbox;
  onError: (error: unknown) => void;
  onNotice: (text: string) => void;
}) {
  const form = byId('composer', HTMLFormElement);
  const field = byId('text', HTMLTextAreaElement);
  const context = byId('composer-context', HTMLElement);
  const sendButton = byId('send', HTMLButtonElement);
  const recordButton = byId('record', HTMLButtonElement);

  let replyTo: ChatMessage | undefined;
  let editing: ChatMessage | undefined;
  /** Ids of users mentioned by name because they have no username. */
  const mentioned = new Map<string, number>();
  /** Unsent texts of other chats. */
  const unsent = new Map<string, string>();
  let openPlace = '';
  let forcedPlaceholder = '';

  const resize = () => {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, MAX_HEIGHT_PX)}px`;
    const isEmpty = field.value.trim() === '' && attachments.count === 0;
    sendButton.disabled = isEmpty;
    const isRecording = recorder.isPossible && (recorder.isRecording || (isEmpty && !editing));
    recordButton.hidden = !isRecording;
    sendButton.hidden = isRecording;
  };
  const recorder = createRecorder({
    onRecorded: (file, seconds) => outbox.sendVoice(file, seconds, leaveContext()),
    onRefused: onNotice,
    onChange: () => resize(),
  });
  const attachments = createAttachments({ onChange: resize });
  const list = createPopupList({ box: byId('suggestions', HTMLElement), field, onChoose: (value) => choose(value) });
  const suggestions = createSuggestions({ list, state, selection, onError });
  const keyboard = createReplyKeyboard({ state, selection, onSend: (text) => send(text) });

  const setText = (text: string) => {
    field.value = text;
    resize();
    suggestions.update(text);
  };

  /** @param value a command, `inline:<query>:<result>`, `start:<parameter>`, or `mention:<person>:<name>` */
  const choose = (value: string) => {
    const [, inlineQueryId, resultId] = /^inline:([^:]*):(.*)$/s.exec(value) ?? [];
    const [, parameter] = /^start:(.*)$/s.exec(value) ?? [];
    const [, personId, name] = /^mention:(\d*):(.*)$/s.exec(value) ?? [];
    if (name !== undefined) {
      if (personId) mentioned.set(name, Number(personId));
      return setText(field.value.replace(MENTION, `${name} `));
    }
    const { chat, topicId } = selection;
    const me = selection.meIn(chat);
    setText('');
    if (inlineQueryId !== undefined && resultId !== undefined && chat) {
      const place = { chatId: chat.id, ...(topicId !== undefined && { topicId }) };
      outbox.enqueue(() => control.chooseInline({ inlineQueryId, resultId, ...place }));
    } else if (parameter !== undefined && me) {
      selection.open(me.id);
      send(`/start ${parameter}`);
    } else send(value);
  };

  const draw = () => {
    const about = editing ?? replyTo;
    context.hidden = !about;
    render(about ? renderContext(about, editing !== undefined) : null, context);
    keyboard.draw();
    field.placeholder = forcedPlaceholder || keyboard.placeholder || translate('Message');
    resize();
  };

  /**
   * Leaves reply and edit mode.
   * @returns id of the message that was being replied to
   */
  const leaveContext = (): number | undefined => {
    const reply = replyTo?.message.message_id;
    replyTo = undefined;
    editing = undefined;
    forcedPlaceholder = '';
    draw();
    return reply;
  };

  const send = (text: string) => {
    outbox.sendText(text, {
      replyTo: leaveContext(),
      entities: findMentions(text, mentioned),
      onFailed: () => {
        // Restores the text if it could not be sent.
        if (field.value === '') setText(text);
      },
    });
    mentioned.clear();
  };

  const submit = () => {
    const text = field.value.trim();
    const edited = editing;
    if (text === '' && attachments.count === 0) return;
    setText('');
    if (edited) {
      const { chatId, message } = edited;
      leaveContext();
      if (text !== (message.text ?? message.caption))
        outbox.enqueue(() => control.editMessage(chatId, message.message_id, { text }));
    } else if (attachments.count > 0) outbox.sendFiles(attachments.take(), text, leaveContext());
    else send(text);
  };

  const edit = (item: ChatMessage) => {
    editing = item;
    replyTo = undefined;
    attachments.clear();
    setText(item.message.text ?? item.message.caption ?? '');
    draw();
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  };

  /**
   * Edits the user's last message, on arrow up in an empty field.
   * @returns whether there is a message to edit
   */
  const editLast = (): boolean => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    const messages = chat && state.current ? messagesOf(state.current, chat.id) : [];
    const last = messages.findLast((item) => item.message.from?.id === me?.id && canEdit(item));
    if (last) edit(last);
    return last !== undefined;
  };

  const cancel = () => {
    if (editing) setText('');
    leaveContext();
  };

  /** @returns whether the key was handled */
  const takeKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (key === 'Enter' && !shiftKey) submit();
    else if (key === 'Escape' && recorder.isRecording) recorder.cancel();
    else if (key === 'Escape' && (editing ?? replyTo)) cancel();
    else return key === 'ArrowUp' && field.value === '' && editLast();
    return true;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener('input', () => {
    resize();
    suggestions.update(field.value);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || list.takeKey(event)) return;
    if (takeKey(event)) event.preventDefault();
  });
  field.addEventListener('blur', () => list.close());
  field.addEventListener('paste', (event) => {
    const files = event.clipboardData?.files;
    if (!files?.length || editing) return;
    event.preventDefault();
    attachments.add(files);
  });
  form.addEventListener('click', (event) => {
    const action = actionTarget(event)?.dataset.action;
    if (action === 'cancel-context') cancel();
    else if (action === 'attach') attachments.openPicker();
    else if (action === 'open-commands') setText(field.value === '/' ? '' : '/');
    if (action !== undefined && action !== 'attach') field.focus();
  });

  return {
    edit,
    send,
    takeInlineAnswer: suggestions.takeAnswer,
    focus: () => field.focus(),
    attach(files: Iterable<File>) {
      if (editing) return;
      attachments.add(files);
      field.focus();
    },
    reply(item: ChatMessage) {
      editing = undefined;
      replyTo = item;
      draw();
      field.focus();
    },
    /** Puts text into the field and focuses it. */
    insert(text: string) {
      setText(text);
      field.focus();
    },
    /** Updates the view after a change of the state or of the open chat. */
    update() {
      const place = `${selection.chat?.id ?? ''}/${selection.topicId ?? ''}`;
      if (place !== openPlace) {
        if (!editing) unsent.set(openPlace, field.value);
        openPlace = place;
        recorder.cancel();
        attachments.clear();
        leaveContext();
        // Closes suggestions, which belong to the previous chat.
        setText('');
        setText(unsent.get(place) ?? '');
      }
      draw();
    },
    /** Starts a reply if the new message requests one (`force_reply`). */
    takeMessage(item: ChatMessage) {
      const { keyboard: markup, message } = item;
      const forces = markup !== undefined && 'force_reply' in markup && markup.force_reply;
      if ((!forces && !message.reply_markup?.force_reply) || item.chatId !== selection.chat?.id || editing) return;
      replyTo = item;
      forcedPlaceholder = (forces && markup.input_field_placeholder) || '';
      draw();
    },
  };
}

/** Returns mentions for the names of users without a username. */
function findMentions(text: string, mentioned: ReadonlyMap<string, number>): MessageEntity[] {
  return [...mentioned].flatMap(([name, id]) => {
    const offset = text.indexOf(name);
    const user = { id, is_bot: false, first_name: name };
    return offset < 0 ? [] : [{ type: 'text_mention' as const, offset, length: name.length, user }];
  });
}

/** Tells whether a message has a text or caption, which can be edited. */
export const canEdit = ({ message }: ChatMessage) => message.text !== undefined || message.caption !== undefined;

function renderContext(about: ChatMessage, isEdit: boolean) {
  const title = isEdit ? translate('Edit message') : translate('Reply to {}', senderOf(about.message).name);
  return (
    <>
      {icon(isEdit ? 'edit' : 'reply', 'context-icon')}
      <div class="context-about">
        <b>{title}</b>
        <span class="dim">{summarize(about.message).slice(0, 120)}</span>
      </div>
      <button
        type="button"
        class="icon-button"
        data-action="cancel-context"
        aria-label={isEdit ? translate('Cancel editing') : translate('Cancel reply')}
      >
        {icon('close')}
      </button>
    </>
  );
}
