import type { InlineQueryResult } from '@grammyjs/types';
import type { ControlEvent, InlineFile } from '../control-protocol.ts';
import { askInline, fileUrl } from './control-client.ts';
import { icon } from './icons.tsx';
import { renderAvatar } from './message-view.tsx';
import type { PopupItem, PopupList } from './popup-list.tsx';
import type { Selection } from './selection.ts';
import { translate } from './texts.ts';

const PAUSE_MS = 250;
const MAX_QUERY_CHARACTERS = 256;
/** Maximum number of answers kept that arrived before the response to their query. */
const MAX_EARLY_ANSWERS = 20;

type InlineAnswer = Extract<ControlEvent, { type: 'inline-answer' }>;

/**
 * Creates the results of `@bot query`. The bot is queried shortly after the last key, and again when the list is
 * scrolled to its end.
 */
export function createInlineResults({
  list,
  selection,
  onError,
}: {
  list: PopupList;
  selection: Selection;
  onError: (error: unknown) => void;
}) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Current query; undefined if the text is not an inline query. */
  let typed: string | undefined;
  /** Unanswered queries of this page by id. */
  const asked = new Map<string, { query: string; offset: string }>();
  const early = new Map<string, InlineAnswer>();
  let items: readonly PopupItem[] = [];
  /** Offset of the next results. */
  let nextOffset = '';

  const ask = async (query: string, offset: string) => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    if (!chat || !me) return;
    try {
      const { inlineQueryId } = await askInline({ from: me.id, query, chatId: chat.id, ...(offset && { offset }) });
      asked.set(inlineQueryId, { query, offset });
      const answer = early.get(inlineQueryId);
      early.delete(inlineQueryId);
      if (answer) take(answer);
    } catch (error) {
      onError(error);
    }
  };

  const askMore = () => {
    if (nextOffset === '' || typed === undefined) return;
    const offset = nextOffset;
    nextOffset = '';
    ask(typed, offset).catch(onError);
  };

  const take = (answer: InlineAnswer) => {
    const request = asked.get(answer.inlineQueryId);
    if (!request) {
      early.set(answer.inlineQueryId, answer);
      const oldest = early.keys().next().value;
      if (early.size > MAX_EARLY_ANSWERS && oldest !== undefined) early.delete(oldest);
      return;
    }
    asked.delete(answer.inlineQueryId);
    // The text has changed since the query.
    if (request.query !== typed) return;
    const isMore = request.offset !== '';
    items = [...(isMore ? items : renderButton(answer)), ...renderResults(answer, selection.chat?.type !== 'private')];
    nextOffset = answer.nextOffset;
    list.show(items, translate('Inline results'), { keepsPlace: isMore, onEnd: askMore });
  };

  return {
    /**
     * Updates the results after a change of the text.
     * @param query undefined if the text is not an inline query
     */
    update(query: string | undefined) {
      const wanted = query === undefined ? undefined : [...query].slice(0, MAX_QUERY_CHARACTERS).join('');
      if (wanted === typed) return;
      clearTimeout(timer);
      typed = wanted;
      asked.clear();
      if (wanted !== undefined) timer = setTimeout(() => ask(wanted, ''), PAUSE_MS);
    },
    takeAnswer: take,
  };
}

/** Renders the button above the results, which opens the private chat. */
function renderButton({ button }: InlineAnswer): PopupItem[] {
  if (button?.start_parameter === undefined) return [];
  const content = <b class="popup-button">{button.text}</b>;
  return [{ value: `start:${button.start_parameter}`, content, isAside: true }];
}

/** In groups, Enter sends the typed text. Results are selected by arrow keys or a click. */
function renderResults({ inlineQueryId, results, files }: InlineAnswer, isAside: boolean): PopupItem[] {
  return results.map((result) => ({
    value: `inline:${inlineQueryId}:${result.id}`,
    content: renderResult(result, files[result.id]),
    isAside,
  }));
}

function renderResult(result: InlineQueryResult, file: InlineFile | undefined) {
  const title = ('title' in result && result.title) || file?.name || KINDS[file?.kind ?? 'document'];
  const description = 'description' in result && result.description ? result.description : '';
  return (
    <>
      {file ? renderThumbnail(file, title) : renderAvatar({ id: result.id.length, name: title })}
      <span class="inline-result">
        <b>{title}</b>
        <span class="dim">{description}</span>
      </span>
    </>
  );
}

const KINDS: Record<InlineFile['kind'], string> = {
  photo: translate('Photo'),
  document: translate('File'),
  audio: translate('Music'),
  voice: translate('Voice message'),
  video: translate('Video'),
  animation: 'GIF',
  video_note: translate('Video message'),
  sticker: translate('Sticker'),
};

/** Renders a preview of an image; other files show their extension. */
function renderThumbnail({ fileId, kind }: InlineFile, title: string) {
  if (kind === 'photo' || kind === 'sticker')
    return <img class="inline-thumbnail" src={fileUrl(fileId)} alt="" decoding="async" />;
  const extension = /\.([\p{L}\p{N}]{1,5})$/u.exec(title)?.[1];
  return (
    <span class="document-icon inline-thumbnail" aria-hidden="true">
      {extension ?? icon('file')}
    </span>
  );
}
