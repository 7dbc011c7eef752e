/** @import { Child } from './dom.js' */
import { h } from './dom.js';
import { icon } from './icons.js';

/**
 * Opens a modal dialog that is gone after it closes; Escape and a click beside it close it.
 * @param {string} label @param {string} className @param {(close: () => void) => Child[]} content
 */
export function openDialog(label, className, content) {
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

/** A note that the bot wants to be read. @param {string} title @param {string} text */
export function openAlert(title, text) {
  openDialog(title, 'alert', (close) => {
    const button = h('button', { type: 'button', class: 'text-button', autofocus: true }, 'OK');
    button.addEventListener('click', close);
    return [h('h2', null, title), h('p', null, text), h('div', { class: 'dialog-actions' }, button)];
  });
}

/** What the bot really sent, as the Bot API has it. @param {unknown} value */
export function openSource(value) {
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

/**
 * A photo as large as the window allows; arrows walk through the other photos of the chat.
 * @param {readonly { url: string, label: string }[]} photos @param {number} first
 */
export function openViewer(photos, first) {
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
  /** @param {number} step */
  const go = (step) => {
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

/**
 * Asks for one line of text.
 * @param {string} title @param {string} label @param {string} action @param {(text: string) => void} onDone
 */
export function openPrompt(title, label, action, onDone) {
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
