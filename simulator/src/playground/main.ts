import type { ChatMessage, ControlEvent } from '../control-protocol.ts';
import { createAnnouncer } from './announcer.tsx';
import { byId } from './by-id.ts';
import { createChatHeader } from './chat-header.tsx';
import { createChatList } from './chat-list.tsx';
import { createComposer } from './composer.tsx';
import { ControlRequestError, createChat } from './control-client.ts';
import { createConversation } from './conversation.tsx';
import { openAlert } from './dialogs.tsx';
import { acceptDrops } from './drop-zone.ts';
import { createMessageActions } from './message-actions.ts';
import { openNewChatDialog } from './new-chat-dialog.tsx';
import { createOutbox } from './outbox.ts';
import { createPersonaBar } from './persona-bar.tsx';
import { createPresses } from './presses.ts';
import { createScrolling } from './scrolling.ts';
import { createSelection } from './selection.ts';
import { createState } from './state.ts';
import { type Connection, createStream } from './stream.ts';
import { translate, translatePage } from './texts.ts';
import { createTheme } from './theme.ts';
import { createToasts } from './toasts.tsx';
import { createUnread } from './unread.ts';
import { renderWelcome } from './welcome.tsx';

const EXPIRY_CHECK_MS = 500;

translatePage();
const app = byId('app', HTMLElement);
const list = byId('messages', HTMLElement);
const down = byId('down', HTMLButtonElement);
const theme = createTheme();
const state = createState();
const selection = createSelection({ state });
const unread = createUnread();
const toasts = createToasts(byId('toasts', HTMLElement));
const announcer = createAnnouncer(byId('announcer', HTMLElement));
let connection: Connection = 'connecting';
let isDrawing = false;
/** Start payload of the link that opened the page; empty once it has been sent. */
let startPayload = new URLSearchParams(location.search).get('start') ?? '';

const onError = (error: unknown) => {
  toasts.show(error instanceof ControlRequestError ? error.message : translate('Something went wrong on this page.'));
};

/** Renders at most once per frame. */
const draw = () => {
  if (isDrawing) return;
  isDrawing = true;
  // A hidden tab gets no animation frames, but its chat list and title must stay up to date.
  if (document.hidden) setTimeout(drawNow, 200);
  else requestAnimationFrame(drawNow);
};

const presses = createPresses({
  onChange: draw,
  onAnswer: (answer) => {
    if (answer.url) open(answer.url, '_blank', 'noopener,noreferrer');
    else if (answer.text && answer.showAlert) openAlert(state.current?.bot.name ?? 'Bot', answer.text);
    else if (answer.text) toasts.show(answer.text);
  },
});
const conversation = createConversation({ list, state, selection, presses });
const scrolling = createScrolling({ scroller: byId('scroller', HTMLElement), content: list, onMove: draw });
const outbox = createOutbox({ state, selection, onSent: () => scrolling.jumpToEnd(), onError });
const composer = createComposer({ state, selection, outbox, onError, onNotice: toasts.show });
const chatList = createChatList({ list: byId('chat-list', HTMLElement), state, selection, unread });
const personaBar = createPersonaBar({ state, selection, onError });

const jumpTo = (messageId: number) => {
  const element = conversation.find(messageId);
  if (!element) return toasts.show(translate('This message no longer exists.'));
  scrolling.show(element);
  element.classList.add('is-target');
  setTimeout(() => element.classList.remove('is-target'), 1_600);
  element.closest('article')?.focus({ preventScroll: true });
};
const chatHeader = createChatHeader({ state, selection, unread, onError, onJump: jumpTo });
createMessageActions({
  list,
  state,
  selection,
  presses,
  composer,
  toasts,
  changeReader: (chatId, messageId, change) => {
    conversation.changeReader(chatId, messageId, change);
    draw();
  },
  jumpTo,
  onError,
});

function drawNow() {
  isDrawing = false;
  const chat = selection.chat;
  app.dataset.view = chat ? 'chat' : 'list';
  const { isAnotherPlace } = conversation.render();
  if (isAnotherPlace) scrolling.jumpToEnd();
  else scrolling.settle();
  const isRead = chat && scrolling.isAtEnd && !document.hidden;
  if (isRead) unread.clear(chat.id, selection.topicId);
  drawDown();
  chatList.render();
  chatHeader.render(connection);
  personaBar.render();
  renderWelcome(state, selection, startPayload !== '');
  composer.update();
  const total = unread.total();
  document.title = `${total > 0 ? `(${total}) ` : ''}${state.current?.bot.name ?? 'Switchboard'} playground`;
  if (isAnotherPlace && chat && !matchMedia('(pointer: coarse)').matches) composer.focus();
}

function drawDown() {
  const chat = selection.chat;
  const count = chat ? unread.countOf(chat.id, selection.topicId) : 0;
  down.hidden = !chat || scrolling.isAtEnd;
  down.setAttribute(
    'aria-label',
    count > 0 ? translate('Go to the newest message, {} unread', count) : translate('Go to the newest message'),
  );
  const badge = byId('down-count', HTMLElement);
  badge.hidden = count === 0;
  badge.textContent = String(count);
}

function take(event: ControlEvent) {
  if (event.type === 'callback-answer') presses.takeAnswer(event);
  if (event.type === 'inline-answer') composer.takeInlineAnswer(event);
  if (event.type === 'message-changed') announcer.takeChange(event.message);
  if (event.type !== 'message') return;
  const chat = state.current?.chats.get(event.message.chatId);
  // Follows the bot into a topic that it opens, as Telegram's apps do.
  const opensTopic = event.message.message.forum_topic_created && chat?.type === 'private';
  if (opensTopic && chat.id === selection.chat?.id && selection.topicId === undefined)
    selection.open(chat.id, event.message.message.message_id, { replaces: true });
  const isOwn = event.message.message.from?.id === selection.meIn(chat)?.id;
  composer.takeMessage(event.message);
  if (!isOwn) takeForeign(event.message);
}

/** @param item a message of another user or bot */
function takeForeign(item: ChatMessage) {
  const chat = state.current?.chats.get(item.chatId);
  unread.add(item, chat?.isForum === true);
  if (chat?.id === selection.chat?.id) announcer.takeNew(item);
}

/** Opens the first private chat if the window is wide enough for list and chat, or if a start link opened the page. */
function openFirstChat() {
  const isWide = matchMedia('(min-width: 760px)').matches || startPayload !== '';
  const first = [...(state.current?.chats.values() ?? [])].find((chat) => chat.type === 'private');
  if (!selection.chat && first && isWide) selection.open(first.id, undefined, { replaces: true });
}

state.subscribe((event) => {
  if (event) take(event);
  else openFirstChat();
  draw();
});
selection.subscribe(draw);
document.addEventListener('visibilitychange', draw);
setInterval(() => {
  if (state.forgetExpired(Date.now())) draw();
}, EXPIRY_CHECK_MS);

const stream = createStream({
  state,
  onMissed: takeForeign,
  onConnection: (changed) => {
    connection = changed;
    byId('offline', HTMLElement).hidden = changed !== 'offline';
    byId('gone', HTMLElement).hidden = changed !== 'gone';
    draw();
  },
});

byId('retry', HTMLButtonElement).addEventListener('click', () => stream.retryNow());
byId('back', HTMLButtonElement).addEventListener('click', () => {
  const openChat = selection.chat?.id;
  selection.close();
  drawNow();
  const link = document.querySelector(`#chat-list a[href$="#${openChat}"]`);
  if (link instanceof HTMLElement) link.focus();
});
byId('theme', HTMLButtonElement).addEventListener('click', () => theme.toggle());
byId('start', HTMLButtonElement).addEventListener('click', () => {
  composer.send(`/start ${startPayload}`.trimEnd());
  startPayload = '';
  history.replaceState(null, '', location.pathname + location.hash);
});
down.addEventListener('click', () => scrolling.jumpToEnd(true));
byId('new-chat', HTMLButtonElement).addEventListener('click', () => {
  openNewChatDialog({
    people: [...(state.current?.people.values() ?? [])],
    onCreate: (chat) => {
      createChat(chat).then((created) => selection.open(created.id), onError);
    },
  });
});

const stage = byId('conversation', HTMLElement);
acceptDrops(stage, (files) => {
  if (selection.chat) composer.attach(files);
});
stage.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented) composer.focus();
});
