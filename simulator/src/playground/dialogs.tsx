import { type ComponentChild, createRef, render } from 'preact';
import { icon } from './icons.tsx';
import { translate } from './texts.ts';

/** Content of a dialog; `close` closes it. */
type DialogView = (close: () => void) => ComponentChild;

/**
 * Opens a modal dialog that is removed when it closes. Escape and a click outside close it.
 * @returns the dialog, and `draw`, which renders the view again
 */
export function openDialog(label: string, className: string, view: DialogView) {
  const dialog = document.createElement('dialog');
  dialog.className = `dialog ${className}`;
  dialog.ariaLabel = label;
  const close = () => dialog.close();
  const draw = () => render(view(close), dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) close();
  });
  draw();
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, draw };
}

/** Shows an alert of the bot. */
export function openAlert(title: string, text: string) {
  openDialog(title, 'alert', (close) => (
    <>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" class="text-button" autofocus onClick={close}>
          OK
        </button>
      </div>
    </>
  ));
}

/** Shows a message as its JSON in the Bot API. */
export function openSource(value: unknown) {
  openDialog(translate('Message as in the Bot API'), 'source', (close) => (
    <>
      <h2>{translate('Message as in the Bot API')}</h2>
      <pre tabindex={0}>{JSON.stringify(value, null, 2)}</pre>
      <div class="dialog-actions">
        <button type="button" class="text-button" autofocus onClick={close}>
          {translate('Close')}
        </button>
      </div>
    </>
  ));
}

/** Shows a photo as large as the window allows. Arrow keys switch to the other photos of the chat. */
export function openViewer(photos: readonly { url: string; label: string }[], first: number) {
  let place = first;
  const { dialog, draw } = openDialog(translate('Photo'), 'viewer', (close) => {
    const photo = photos[place];
    return (
      photo && (
        <>
          <div class="viewer-bar">
            <span class="viewer-count" role="status">
              {photos.length > 1 ? translate('{} of {}', place + 1, photos.length) : ''}
            </span>
            <a class="icon-button" href={photo.url} download="" aria-label={translate('Download photo')}>
              {icon('download')}
            </a>
            <button type="button" class="icon-button" aria-label={translate('Close photo')} autofocus onClick={close}>
              {icon('close')}
            </button>
          </div>
          <img src={photo.url} alt={photo.label} />
        </>
      )
    );
  });
  const go = (step: number) => {
    place = (place + step + photos.length) % photos.length;
    draw();
  };
  dialog.addEventListener('click', (event) => {
    if (event.target instanceof HTMLImageElement) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight') go(1);
    if (event.key === 'ArrowLeft') go(-1);
  });
}

/** Asks for one line of text. */
export function openPrompt(title: string, label: string, action: string, onDone: (text: string) => void) {
  const input = createRef<HTMLInputElement>();
  openDialog(title, 'prompt', (close) => (
    <form method="dialog" onSubmit={() => onDone(input.current?.value.trim() ?? '')}>
      <h2>{title}</h2>
      <label class="field">
        <span>{label}</span>
        <input ref={input} type="text" required maxlength={128} autofocus autocomplete="off" />
      </label>
      <div class="dialog-actions">
        <button type="button" class="text-button" onClick={close}>
          {translate('Cancel')}
        </button>
        <button type="submit" class="text-button">
          {action}
        </button>
      </div>
    </form>
  ));
}
