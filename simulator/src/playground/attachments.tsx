import { render } from 'preact';
import { byId } from './by-id.ts';
import { icon } from './icons.tsx';

const MAX_FILES = 10;

export interface Attachment {
  file: File;
  /** Sent as a photo instead of a document */
  isPhoto: boolean;
}

/** Manages the files to be sent with the next message. */
export function createAttachments({ onChange }: { onChange: () => void }) {
  const tray = byId('attachments', HTMLElement);
  const picker = byId('file-picker', HTMLInputElement);
  let attachments: readonly Attachment[] = [];

  const change = (changed: readonly Attachment[]) => {
    attachments = changed.slice(0, MAX_FILES);
    tray.hidden = attachments.length === 0;
    render(attachments.map(renderAttachment), tray);
    onChange();
  };
  const add = (files: Iterable<File>) =>
    change([...attachments, ...[...files].map((file) => ({ file, isPhoto: isPicture(file) }))]);

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
    /** Returns the files and empties the list. */
    take() {
      const taken = attachments;
      change([]);
      return taken;
    },
  };
}

function renderAttachment({ file, isPhoto }: Attachment, place: number) {
  const choice = (
    <label>
      <input type="checkbox" data-value={place} checked={!isPhoto} />
      as file
    </label>
  );
  return (
    <div class="attachment">
      {isPicture(file) ? <img src={objectUrl(file)} alt="" /> : <span class="document-icon">{icon('file')}</span>}
      <span class="attachment-name">{file.name}</span>
      {isPicture(file) && choice}
      <button type="button" class="icon-button" data-value={place} aria-label={`Remove ${file.name}`}>
        {icon('close', 'is-tiny')}
      </button>
    </div>
  );
}

/** Tells whether the file can be sent as a photo, if it is small enough. */
export const isPicture = (file: File) => /^image\/(jpeg|png|webp)$/.test(file.type);

const objectUrls = new WeakMap<File, string>();

function objectUrl(file: File) {
  const url = objectUrls.get(file) ?? URL.createObjectURL(file);
  objectUrls.set(file, url);
  return url;
}
