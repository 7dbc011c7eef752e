import { useState } from 'preact/hooks';
import type { ConversationMessage } from '../../api/types.ts';
import { useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { Markdown } from './markdown.tsx';
import { texts } from './texts.ts';

/** Longer messages are folded. */
const MAX_SHOWN_LENGTH = 6000;
const FOLDED_LENGTH = 4000;

/** One message: a question as it was written, an answer with its formatting. */
export function MessageView({ message }: { readonly message: ConversationMessage }) {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const { role, model, created_at: createdAt, content, photo_count: photoCount, files } = message;
  const [isUnfolded, setUnfolded] = useState(false);
  const isFolded = !isUnfolded && content.length > MAX_SHOWN_LENGTH;
  const shown = isFolded ? `${content.slice(0, FOLDED_LENGTH).toWellFormed()}…` : content;
  const attached = [...(photoCount > 0 ? [words.photos(photoCount)] : []), ...files];
  return (
    <li class={`message ${role}`}>
      <p>
        <strong>{role === 'user' ? words.you : (model ?? words.answer)}</strong>{' '}
        <time class="dim" dateTime={createdAt}>
          {formatTime(createdAt)}
        </time>
      </p>
      {attached.length > 0 && <p class="dim">{attached.join(', ')}</p>}
      {content !== '' && (role === 'user' ? <p class="text">{shown}</p> : <Markdown source={shown} />)}
      {isFolded && <Button onPress={() => setUnfolded(true)}>{words.showAll}</Button>}
    </li>
  );
}
