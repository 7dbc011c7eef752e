import type { ConversationMessage } from '../../api/types.ts';
import { useTimeFormat } from '../../use-time-format.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts/index.ts';

/** One message, with its Markdown as text. */
export function MessageView({ message }: { readonly message: ConversationMessage }) {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const { role, model, created_at: createdAt, content, photo_count: photoCount, files } = message;
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
      <p class="text">{content}</p>
    </li>
  );
}
