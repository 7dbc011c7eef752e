import { render } from 'preact';
import { byId } from './by-id.ts';
import { formatDuration } from './format.ts';
import { icon } from './icons.tsx';
import { translate } from './texts.ts';

/** Recording formats of browsers, best first. Telegram's voice messages are Opus in Ogg. */
const FORMATS = [
  { mimeType: 'audio/ogg;codecs=opus', name: 'voice.ogg' },
  { mimeType: 'audio/webm;codecs=opus', name: 'voice.webm' },
  { mimeType: 'audio/mp4', name: 'voice.m4a' },
];
const MAX_SECONDS = 600;
const TICK_MS = 200;

/**
 * Records voice messages: the first press of the button starts, the second one sends; the bar above the composer
 * cancels.
 */
export function createRecorder({
  onRecorded,
  onRefused,
  onChange,
}: {
  onRecorded: (file: File, seconds: number) => void;
  onRefused: (reason: string) => void;
  onChange: () => void;
}) {
  const button = byId('record', HTMLButtonElement);
  const bar = byId('recording', HTMLElement);
  const canRecord = typeof MediaRecorder !== 'undefined' && navigator.mediaDevices !== undefined;
  const format = canRecord ? FORMATS.find(({ mimeType }) => MediaRecorder.isTypeSupported(mimeType)) : undefined;
  let recorder: MediaRecorder | undefined;
  let isAsking = false;
  let isWanted = false;

  const finish = (sends: boolean) => {
    isWanted = sends;
    recorder?.stop();
  };
  const record = (stream: MediaStream, { mimeType, name }: { mimeType: string; name: string }) => {
    const parts: Blob[] = [];
    const startedAt = performance.now();
    const seconds = () => Math.floor((performance.now() - startedAt) / 1000);
    const draw = () => {
      render(
        renderBar(seconds(), () => finish(false)),
        bar,
      );
      if (seconds() >= MAX_SECONDS) finish(true);
    };
    const timer = setInterval(draw, TICK_MS);
    recorder = new MediaRecorder(stream, { mimeType });
    recorder.addEventListener('dataavailable', ({ data }) => void parts.push(data));
    recorder.addEventListener('stop', () => {
      clearInterval(timer);
      for (const track of stream.getTracks()) track.stop();
      recorder = undefined;
      show();
      onChange();
      if (isWanted) onRecorded(new File(parts, name, { type: mimeType.replace(/;.*/, '') }), seconds());
    });
    draw();
    isWanted = false;
    recorder.start();
    show();
    onChange();
  };
  const show = () => {
    const label = recorder ? translate('Send the voice message') : translate('Record a voice message');
    button.setAttribute('aria-label', label);
    render(icon(recorder ? 'send' : 'microphone', recorder ? 'is-filled' : ''), button);
    button.classList.toggle('is-recording', recorder !== undefined);
    bar.hidden = recorder === undefined;
  };

  button.addEventListener('click', async () => {
    if (recorder) return finish(true);
    if (isAsking || !format) return undefined;
    isAsking = true;
    try {
      record(await navigator.mediaDevices.getUserMedia({ audio: true }), format);
    } catch {
      onRefused(translate('The browser does not allow this page to use the microphone.'));
    } finally {
      isAsking = false;
    }
    return undefined;
  });
  show();

  return {
    isPossible: format !== undefined,
    get isRecording() {
      return recorder !== undefined;
    },
    cancel: () => finish(false),
  };
}

function renderBar(seconds: number, cancel: () => void) {
  return (
    <>
      <span class="recording-dot" aria-hidden="true" />
      <span class="recording-time">{translate('Recording {}', formatDuration(seconds))}</span>
      <button type="button" class="text-button" onClick={cancel}>
        {translate('Cancel')}
      </button>
    </>
  );
}
