import { byId, h } from './dom.js';
import { icon } from './icons.js';

const MAX_FILES = 10;

/**
 * @typedef {object} Attachment
 * @property {File} file
 * @property {boolean} isPhoto sent as a photo rather than as a file
 */

/**
 * The files that wait to be sent with the next message.
 * @param {{ onChange: () => void }} deps
 */
export function createAttachments({ onChange }) {
  const tray = byId('attachments', HTMLElement);
  const picker = byId('file-picker', HTMLInputElement);
  /** @type {readonly Attachment[]} */
  let attachments = [];

  /** @param {readonly Attachment[]} changed */
  const change = (changed) => {
    attachments = changed.slice(0, MAX_FILES);
    tray.hidden = attachments.length === 0;
    tray.replaceChildren(...attachments.map(renderAttachment));
    onChange();
  };
  /** @param {Iterable<File>} files */
  const add = (files) => change([...attachments, ...[...files].map((file) => ({ file, isPhoto: isPicture(file) }))]);

  picker.addEventListener('change', () => {
    add(picker.files ?? []);
    picker.value = '';
  });
  tray.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button) change(attachments.filter((_, place) => place !== Number(button.dataset.value)));
  });
  tray.addEventListener('change', (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement)) return;
    change(
      attachments.map((item, place) =>
        place === Number(box.dataset.value) ? { ...item, isPhoto: !box.checked } : item,
      ),
    );
  });

  return {
    add,
    clear: () => change([]),
    openPicker: () => picker.click(),
    get count() {
      return attachments.length;
    },
    /** Hands the files over; none are left. */
    take() {
      const taken = attachments;
      change([]);
      return taken;
    },
  };
}

/** @param {Attachment} attachment @param {number} place */
function renderAttachment({ file, isPhoto }, place) {
  const choice = h('label', null, h('input', { type: 'checkbox', 'data-value': place, checked: !isPhoto }), 'as file');
  return h(
    'div',
    { class: 'attachment' },
    isPicture(file) ? h('img', { src: objectUrl(file), alt: '' }) : h('span', { class: 'document-icon' }, icon('file')),
    h('span', { class: 'attachment-name' }, file.name),
    isPicture(file) && choice,
    h(
      'button',
      { type: 'button', class: 'icon-button', 'data-value': place, 'aria-label': `Remove ${file.name}` },
      icon('close', 'is-tiny'),
    ),
  );
}

/** What Telegram shows as a photo when it is small enough. @param {File} file */
export const isPicture = (file) => /^image\/(jpeg|png|webp)$/.test(file.type);

/** @type {WeakMap<File, string>} */
const objectUrls = new WeakMap();

/** @param {File} file */
function objectUrl(file) {
  const url = objectUrls.get(file) ?? URL.createObjectURL(file);
  objectUrls.set(file, url);
  return url;
}
