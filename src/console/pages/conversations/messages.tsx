import type { ConversationMessage } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { Card } from '../../ui/card.tsx';
import { Paged } from '../../ui/loaded.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { MessageView } from './message-view.tsx';
import { texts } from './texts.ts';

/** Messages of a conversation, the newest ones first loaded and last shown. */
export function Messages({ path }: { readonly path: string }) {
  const words = useOwnTexts(texts);
  const messages = usePages<ConversationMessage>(`${path}/messages?limit=50`);
  return (
    <Card title={words.messages}>
      <Paged pages={messages} earlier={words.earlier}>
        {(items) => (
          <ol class="messages">
            {items.toReversed().map((each) => (
              <MessageView key={each.id} message={each} />
            ))}
          </ol>
        )}
      </Paged>
    </Card>
  );
}
