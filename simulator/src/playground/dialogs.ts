import type { Child } from './dom.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';

/** Opens a modal dialog that is gone after it closes; Escape and a click beside it close it. */
export function openDialog(label: string, className: string, content: (close: () => void) => Child[]) {
  const dialog = h('dialog', { class: `dialog ${className}`, 'aria-label': label });
  const close = () => dialog.close();
  for (const child of content(close)) if (child instanceof Node) dialog.append(child);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A note that the bot wants to be read. */
export function openAlert(title: string, text: string) {
  openDialog(title, 'alert', (close) => {
    const button = h('button', { type: 'button', class: 'text-button', autofocus: true }, 'OK');
    button.addEventListener('click', close);
    return [h('h2', null, title), h('p', null, text), h('div', { class: 'dialog-actions' }, button)];
  });
}

/** What the bot really sent, as the Bot API has it. */
export function openSource(value: unknown) {
  openDialog('Message as the Bot API has it', 'source', (close) => {
    const button = h('button', { type: 'button', class: 'text-button', autofocus: true }, 'Close');
    button.addEventListener('click', close);
    return [
      h('h2', null, 'Message as the Bot API has it'),
      h('pre', { tabindex: 0 }, JSON.stringify(value, null, 2)),
      h('div', { class: 'dialog-actions' }, button),
    ];
  });
}

/** A photo as large as the window allows; arrows walk through the other photos of the chat. */
export function openViewer(photos: readonly { url: string; label: string }[], first: number) {
  let place = first;
  const image = h('img', { alt: '' });
  const download = h('a', { class: 'icon-button', download: '', 'aria-label': 'Download photo' }, icon('download'));
  const count = h('span', { class: 'viewer-count', role: 'status' });
  const show = () => {
    const photo = photos[place];
    if (!photo) return;
    image.src = photo.url;
    image.alt = photo.label;
    download.href = photo.url;
    count.textContent = photos.length > 1 ? `${place + 1} of ${photos.length}` : '';
  };
  const go = (step: number) => {
    place = (place + step + photos.length) % photos.length;
    show();
  };
  const dialog = openDialog('Photo', 'viewer', (close) => {
    const button = h(
      'button',
      { type: 'button', class: 'icon-button', 'aria-label': 'Close photo', autofocus: true },
      icon('close'),
    );
    button.addEventListener('click', close);
    image.addEventListener('click', close);
    return [h('div', { class: 'viewer-bar' }, count, download, button), image];
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight') go(1);
    if (event.key === 'ArrowLeft') go(-1);
  });
  show();
}

/** Asks for one line of text. */
export function openPrompt(title: string, label: string, action: string, onDone: (text: string) => void) {
  openDialog(title, 'prompt', (close) => {
    const input = h('input', { type: 'text', required: true, maxlength: 128, autofocus: true, autocomplete: 'off' });
    const cancel = h('button', { type: 'button', class: 'text-button' }, 'Cancel');
    const form = h(
      'form',
      { method: 'dialog' },
      h('h2', null, title),
      h('label', { class: 'field' }, h('span', null, label), input),
      h('div', { class: 'dialog-actions' }, cancel, h('button', { class: 'text-button' }, action)),
    );
    cancel.addEventListener('click', close);
    form.addEventListener('submit', () => onDone(input.value.trim()));
    return [form];
  });
}
